import Foundation
import SMPCrypto
import SMPProtocol
import SMPWire
import VectorSupport

// Fields of recorded cases in the types of this room. A missing field is an error that names it.

extension VectorValue {
    func bytes() throws -> Bytes { try some(hex, "hex") }
    func integer() throws -> Int64 { try some(int, "a number") }
    func list() throws -> [VectorValue] { try some(array, "a list") }
    func text() throws -> String { try some(string, "text") }
    func flag() throws -> Bool { try some(bool, "a truth value") }

    func versionRange() throws -> VersionRange {
        try some(VersionRange(UInt16(try self[0].integer()), UInt16(try self[1].integer())), "a version range")
    }

    func json() throws -> Data { try JSONSerialization.data(withJSONObject: foundation, options: [.fragmentsAllowed]) }

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
    func bool(_ field: String) throws -> Bool { try named(field) { try $0.flag() } }
    func version(_ field: String) throws -> UInt16 { UInt16(try integer(field)) }

    private func named<Value>(_ field: String, _ read: (VectorValue) throws -> Value) throws -> Value {
        do {
            return try read(self[field])
        } catch {
            throw VectorError(description: "\(name): \(field): \(error)")
        }
    }
}

func linkData(_ value: VectorValue) throws -> QueueLinkData {
    QueueLinkData(fixedData: try value["fixed_data"].bytes(), userData: try value["user_data"].bytes())
}

/// The encodings of a command or response, and the versions that each is for.
func encodings(_ item: VectorCase) throws -> [(versions: ClosedRange<UInt16>, bytes: Bytes)] {
    try item.list("encodings").map {
        (UInt16(try $0["from"].integer())...UInt16(try $0["to"].integer()), try $0["hex"].bytes())
    }
}
