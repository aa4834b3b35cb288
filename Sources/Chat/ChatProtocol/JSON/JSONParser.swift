public import SMPWire

/// Reads JSON text strictly by RFC 8259: UTF-8 only, no lone surrogates, no leading zeros, no raw control characters.
///
/// Time and memory are linear in the input. Nesting is bounded, so that no input can exhaust the stack.
public struct JSONParser {
    /// The maximum nesting of arrays and objects.
    public static let maximumDepth = 128

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// Reads a value that must take up all the input, apart from white space around it.
    public static func parse(_ bytes: Bytes) throws(JSONError) -> JSONValue {
        var result: Result<JSONValue, JSONError> = .success(.null)
        bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(bytes: buffer)
            result = Result { () throws(JSONError) in try parser.document() }
        }
        return try result.get()
    }

    /// Reads a value that must take up all the text, apart from white space around it.
    public static func parse(_ text: String) throws(JSONError) -> JSONValue { try parse(Bytes(text.utf8)) }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private mutating func document() throws(JSONError) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw malformed("text after the value") }
        return value
    }

    private func malformed(_ reason: String) -> JSONError { JSONError(.malformed, "\(reason) (byte \(position))") }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        guard let next else { throw malformed("the text ends where a value is expected") }
        switch next {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw malformed("a value cannot start like this")
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { throw malformed("unknown word") }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { throw malformed("unknown word") }
        position += count
        return value
    }

    private mutating func enter(_ depth: Int) throws(JSONError) {
        guard depth <= Self.maximumDepth else {
            throw JSONError(.tooDeep, "more than \(Self.maximumDepth) arrays and objects inside each other")
        }
        position += 1
        skipSpace()
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        try enter(depth)
        var elements: [JSONValue] = []
        if next == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            switch next {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default: throw malformed("a comma or ] is expected")
            }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        try enter(depth)
        var object = JSONObject()
        if next == UInt8(ascii: "}") {
            position += 1
            return object
        }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw malformed("the name of a member is expected") }
            let key = try string()
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw malformed("a colon is expected") }
            position += 1
            object.append(key, try value(depth: depth))
            skipSpace()
            switch next {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                object.removeRepeatedNames()
                return object
            default: throw malformed("a comma or } is expected")
            }
        }
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw malformed("a digit is expected") }
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { position += 1 }
            try digits()
        }
        return JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = try text(of: UnsafeBufferPointer(rebasing: bytes[start..<position]))
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try stringWithEscapes(from: start) }
            guard byte >= 0x20 else { throw malformed("a raw control character in a string") }
            position += 1
        }
        throw malformed("the text ends inside a string")
    }

    private func text(of bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> String {
        guard let text = String(checked: bytes) else { throw malformed("a string that is not UTF-8") }
        return text
    }

    private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
        var content = Bytes(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                let end = content.withUnsafeBufferPointer { String(checked: $0) }
                guard let end else { throw malformed("a string that is not UTF-8") }
                position += 1
                return end
            case UInt8(ascii: "\\"): try escape(into: &content)
            case 0..<0x20: throw malformed("a raw control character in a string")
            default:
                content.append(byte)
                position += 1
            }
        }
        throw malformed("the text ends inside a string")
    }

    private mutating func escape(into content: inout Bytes) throws(JSONError) {
        position += 1
        guard let letter = next else { throw malformed("the text ends inside a string") }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(letter)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content.append(contentsOf: Bytes(String(try escapedScalar()).utf8))
        default: throw malformed("an unknown escape")
        }
    }

    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let unit = UInt32(try codeUnit())
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, next == UInt8(ascii: "\\") else { throw malformed("half of a surrogate pair") }
        position += 1
        guard next == UInt8(ascii: "u") else { throw malformed("half of a surrogate pair") }
        position += 1
        let low = UInt32(try codeUnit())
        guard low >= 0xDC00, low < 0xE000,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw malformed("half of a surrogate pair") }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        guard bytes.count - position >= 4 else { throw malformed("four hexadecimal digits are expected") }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let byte = bytes[position]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw malformed("four hexadecimal digits are expected")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

extension String {
    /// Text of UTF-8; nil if it is not that.
    ///
    /// `String(validating:as:)` is generic at run time, and took a third of all parsing. Decoding mends what is not UTF-8, which shows.
    fileprivate init?(checked bytes: UnsafeBufferPointer<UInt8>) {
        self = String(decoding: bytes, as: UTF8.self)
        guard bytes.allSatisfy({ $0 < 0x80 }) || withUTF8({ $0.elementsEqual(bytes) }) else { return nil }
    }
}
