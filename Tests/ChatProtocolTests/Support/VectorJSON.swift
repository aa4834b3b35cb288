import ChatProtocol
import VectorSupport

extension VectorValue {
    /// The value as JSON, for comparing with what the room makes.
    var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let number): .int(number)
        case .decimal(let number): JSONNumber(number).map(JSONValue.number) ?? .null
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(\.json))
        case .object(let members): .object(JSONObject(members.map { ($0.key, $0.value.json) }))
        }
    }
}

extension VectorCase {
    /// The text of a field that the case must have.
    func text(_ field: String) throws -> String {
        guard let text = self[field].string else { throw VectorError(description: "\(name) has no text \(field)") }
        return text
    }

    /// The bytes of a field that the case must have.
    func bytes(_ field: String) throws -> [UInt8] {
        guard let bytes = self[field].hex else { throw VectorError(description: "\(name) has no bytes \(field)") }
        return bytes
    }
}
