import SMPCrypto
import SMPWire
import VectorSupport

// Fields of recorded cases in the types of these modules. A missing field is an error that names it.
extension VectorValue {
    func bytes() throws -> Bytes { try some(hex, "hex") }
    func integer() throws -> Int64 { try some(int, "a number") }
    func list() throws -> [VectorValue] { try some(array, "a list") }
    func text() throws -> String { try some(string, "text") }
    func flag() throws -> Bool { try some(bool, "a truth value") }

    private func some<Value>(_ value: Value?, _ kind: String) throws -> Value {
        guard let value else { throw VectorError(description: "\(self) is not \(kind)") }
        return value
    }
}

extension VectorCase {
    func hex(_ field: String) throws -> Bytes { try named(field) { try $0.bytes() } }
    func integer(_ field: String) throws -> Int64 { try named(field) { try $0.integer() } }
    func list(_ field: String) throws -> [VectorValue] { try named(field) { try $0.list() } }
    func text(_ field: String) throws -> String { try named(field) { try $0.text() } }

    private func named<Value>(_ field: String, _ read: (VectorValue) throws -> Value) throws -> Value {
        do { return try read(self[field]) } catch { throw VectorError(description: "\(name): \(field): \(error)") }
    }

    /// The key and the nonce of a file.
    func boxKey() throws -> (BoxSecret, BoxNonce) { (try BoxSecret(SecretBytes(try hex("key"))), try BoxNonce(try hex("nonce"))) }

    /// Bytes that are recorded as they are or by their rule.
    func plaintext(count: Int) throws -> Bytes {
        if let bytes = self["plaintext"].hex { return bytes }
        try expectRule(try text("plaintext_rule"))
        return (0..<count).map { UInt8(($0 * 7 + 3) % 251) }
    }

    private func expectRule(_ rule: String) throws {
        guard rule == "byte i = (i * 7 + 3) mod 251" else { throw VectorError(description: "another rule: \(rule)") }
    }
}
