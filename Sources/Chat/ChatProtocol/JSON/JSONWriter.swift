public import SMPWire

/// Writes JSON text without white space. Strings escape quotes, backslashes and control characters below U+0020 and nothing
/// else, so that lengths are those that the official clients count.
///
/// A value that is handed on `inout`: all nested objects append to one text, and nothing has to be checked or counted for that.
public struct JSONWriter {
    /// In which order members of objects are written.
    public enum MemberOrder: Sendable {
        /// As the object holds them: received values keep their order, ours have the order of their type's fields.
        case asHeld
        /// By the Unicode scalars of their names, at every level.
        case sorted
    }

    private static let hexDigits = Bytes("0123456789abcdef".utf8)
    /// In which order members are written.
    public let order: MemberOrder
    /// The version of the API that the text is for.
    public let version: APIVersion
    /// The JSON text, UTF-8.
    public private(set) var bytes: Bytes = []
    /// The text that ``write(repeated:)`` has written last.
    public private(set) var memory: Memory

    /// Texts of values that may be written again: the last one of each type.
    public struct Memory {
        fileprivate var last: [ObjectIdentifier: (value: AnyObject, text: Bytes)] = [:]
        /// The version of the API that the texts are for.
        public let version: APIVersion

        /// Of nothing yet.
        public init(for version: APIVersion = .newest) { self.version = version }
    }

    /// Creates a writer without text.
    public init(order: MemberOrder = .asHeld, for version: APIVersion = .newest) {
        self.order = order
        self.version = version
        memory = Memory(for: version)
    }

    /// For members as they are held.
    ///
    /// - Parameter memory: of a text for the same version of the API that was written so before, and may share values with this one.
    public init(remembering memory: Memory) {
        order = .asHeld
        version = memory.version
        self.memory = memory
    }

    /// Appends the JSON text of a value.
    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(text: "null")
        case .bool(let flag): write(text: flag ? "true" : "false")
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let text): write(string: text)
        case .array(let elements): write(elements)
        case .object(let object): write(object)
        }
    }

    private mutating func write(text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func write(_ elements: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ object: JSONObject) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in order == .sorted ? object.sorted : object.members {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(string: key)
            bytes.append(UInt8(ascii: ":"))
            write(value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends a string.
    public mutating func write(string text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for index in utf8.indices where Self.needsEscape(utf8[index]) {
                bytes.append(contentsOf: utf8[start..<index])
                escape(utf8[index])
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Appends a number.
    public mutating func write(number: some BinaryInteger) { bytes.append(contentsOf: String(number).utf8) }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0..<0x20:
            write(text: "u00")
            bytes.append(Self.hexDigits[Int(byte >> 4)])
            bytes.append(Self.hexDigits[Int(byte & 15)])
        default: bytes.append(byte)
        }
    }
}

// Values that are written piece by piece, without a tree of them being made first.
extension JSONWriter {
    /// Appends the brace that begins an object.
    public mutating func beginObject() { bytes.append(UInt8(ascii: "{")) }

    /// Appends the name of a member, whose value must follow, and the comma before it.
    public mutating func write(name: String) {
        separate()
        write(string: name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Appends the brace that ends an object.
    public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

    /// Appends an array.
    public mutating func write(elements: some Sequence<some JSONConvertible>) {
        bytes.append(UInt8(ascii: "["))
        for element in elements {
            separate()
            element.write(to: &self)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Appends a value that may be written many times, such as the chat of each item in a list: if it equals the last one of its type that
    /// was so written, its text is copied.
    public mutating func write<Value: JSONConvertible & Equatable>(repeated value: Value) {
        let type = ObjectIdentifier(Value.self)
        if let last = memory.last[type], let boxed = last.value as? Boxed<Value>, boxed.value == value {
            return bytes.append(contentsOf: last.text)
        }
        let start = bytes.count
        value.write(to: &self)
        memory.last[type] = (Boxed(value), Bytes(bytes[start...]))
    }

    private final class Boxed<Value> {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// Drops what was written behind that many bytes.
    mutating func truncate(to count: Int) { bytes.removeLast(bytes.count - count) }

    /// Takes the text out, to be put back when more was appended to it. There is one owner at any time, so that it is never copied.
    mutating func take() -> JSONWriter {
        defer { (bytes, memory) = ([], Memory(for: version)) }
        return self
    }

    /// A string's last byte is a quote, so that what ends in a bracket has just begun.
    private mutating func separate() {
        if let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
    }
}

extension JSONConvertible {
    /// The JSON text as UTF-8, members as their type orders them.
    public var jsonBytes: Bytes { jsonBytes(for: .newest) }

    /// The JSON text for a version of the API as UTF-8, members as their type orders them.
    public func jsonBytes(for version: APIVersion) -> Bytes {
        var writer = JSONWriter(for: version)
        write(to: &writer)
        return writer.bytes
    }

    /// The JSON text, members as their type orders them.
    public var jsonText: String { String(decoding: jsonBytes, as: UTF8.self) }
}

extension JSONValue {
    /// The JSON text as UTF-8.
    public func bytes(order: JSONWriter.MemberOrder = .asHeld) -> Bytes {
        var writer = JSONWriter(order: order)
        writer.write(self)
        return writer.bytes
    }

    /// The JSON text.
    public var text: String { String(decoding: bytes(), as: UTF8.self) }

    /// Reads JSON text (RFC 8259).
    public init(parsing bytes: Bytes) throws(JSONError) { self = try JSONParser.parse(bytes) }

    /// Reads JSON text (RFC 8259).
    public init(parsing text: String) throws(JSONError) { self = try JSONParser.parse(text) }
}

extension String {
    /// Bytes of this text in JSON, without the quotes around it. Names and short descriptions are limited by this length.
    public var jsonLength: Int {
        utf8.reduce(0) { length, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x0A, 0x0D, 0x09: length + 2
            case 0..<0x20: length + 6
            default: length + 1
            }
        }
    }
}
