extension JSONValue {
    /// Decodes any JSON. Unlike ``JSONParser`` it gets numbers and the order of members as the decoder has them.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: AnyCodingKey.self) {
            var object = JSONObject()
            for key in members.allKeys { object.append(key.stringValue, try members.decode(JSONValue.self, forKey: key)) }
            self = .object(object)
        } else if var elements = try? decoder.unkeyedContainer() {
            var list: [JSONValue] = []
            while !elements.isAtEnd { list.append(try elements.decode(JSONValue.self)) }
            self = .array(list)
        } else {
            self = try JSONValue(single: decoder.singleValueContainer())
        }
    }

    private init(single container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let whole = try? container.decode(Int64.self) {
            self = .int(whole)
        } else if let whole = try? container.decode(UInt64.self) {
            self = .int(whole)
        } else if let value = try? container.decode(Double.self), let number = JSONNumber(value) {
            self = .number(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// Encodes the value. The encoder gets numbers that fit no 64-bit integer as binary numbers.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let flag):
            var container = encoder.singleValueContainer()
            try container.encode(flag)
        case .string(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .number(let number):
            var container = encoder.singleValueContainer()
            if let whole = number.integer(Int64.self) {
                try container.encode(whole)
            } else {
                try container.encode(number.double)
            }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let object):
            var container = encoder.container(keyedBy: AnyCodingKey.self)
            for (key, value) in object.members { try container.encode(value, forKey: AnyCodingKey(key)) }
        }
    }
}

/// The name of a member.
private struct AnyCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
