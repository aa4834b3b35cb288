public import SMPCrypto
internal import SMPWire

/// In JSON a public key is base64url of its X.509 form.
extension AlgorithmPublicKey: JSONConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let text = try String(json: json)
        do {
            self = try AlgorithmPublicKey(wireString: text)
        } catch {
            throw JSONError(.invalidValue, "a public \(Algorithm.name) key is expected")
        }
    }

    /// The JSON form.
    public var json: JSONValue { .string(wireString) }
}
