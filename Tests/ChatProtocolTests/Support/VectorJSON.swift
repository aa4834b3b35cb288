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
