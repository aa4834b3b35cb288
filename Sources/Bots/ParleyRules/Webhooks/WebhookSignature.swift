internal import Foundation
internal import SMPCrypto

/// The signature of a request, as the specification Standard Webhooks has it: the id, the time and the body under one key.
enum WebhookSignature {
    static let idField = "webhook-id"
    static let timeField = "webhook-timestamp"
    static let signatureField = "webhook-signature"
    /// Seconds that the clocks of sender and receiver may differ.
    static let tolerance = 300.0

    /// - Parameter time: seconds since 1970.
    /// - Returns: `v1,` and the HMAC-SHA-256 in base64.
    static func sign(id: String, time: Int64, body: [UInt8], secret: RuleSecret) -> String {
        "v1," + Data(HMAC.sha256(Array("\(id).\(time).".utf8) + body, key: key(of: secret))).base64EncodedString()
    }

    /// Checks the signature of a request; a list of signatures is as good as its members.
    static func isValid(_ signature: String, id: String, time: Int64, body: [UInt8], secret: RuleSecret, at now: Double) -> Bool {
        guard abs(now - Double(time)) <= tolerance else { return false }
        let expected = sign(id: id, time: time, body: body, secret: secret)
        return signature.split(separator: " ").reduce(false) { isEqual(String($1), expected) || $0 }
    }

    /// Compares two texts in a time that does not tell where they differ.
    static func isEqual(_ left: String, _ right: String) -> Bool {
        // Hashes have one length, and reveal nothing about their input.
        let left = Hash.sha256(Array(left.utf8)), right = Hash.sha256(Array(right.utf8))
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// A secret after the prefix `whsec_` is base64; any other secret is used unchanged.
    private static func key(of secret: RuleSecret) -> [UInt8] {
        let prefix = "whsec_"
        if secret.text.hasPrefix(prefix), let data = Data(base64Encoded: String(secret.text.dropFirst(prefix.count))) { return [UInt8](data) }
        return Array(secret.text.utf8)
    }
}
