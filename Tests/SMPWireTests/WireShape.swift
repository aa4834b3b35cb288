import SMPWire
import VectorSupport

/// A type as the recorded cases name it, such as `Maybe (Word16, ByteString)`, with its encodings over untyped values.
indirect enum WireShape: Equatable, Sendable {
    case character, bool, word16, word32, int64, short, large, tail, text, seconds, versionRange
    case raw(Int)
    case optional(WireShape)
    /// The flag says whether it may be empty.
    case list(WireShape, Bool)
    case tuple([WireShape])

    private static let names: [String: WireShape] = [
        "Char": .character, "Bool": .bool, "Word16": .word16, "Version": .word16, "Word32": .word32, "Int64": .int64,
        "ByteString": .short, "Large": .large, "Tail": .tail, "Text": .text, "SystemTime": .seconds,
        "VersionRange": .versionRange, "raw24": .raw(24),
    ]

    /// - Returns: nil for a type that is not of this room.
    init?(_ name: String) {
        if let shape = Self.names[name] {
            self = shape
        } else if name.hasPrefix("Maybe "), let shape = WireShape(Self.bare(String(name.dropFirst(6)))) {
            self = .optional(shape)
        } else if name.hasPrefix("NonEmpty "), let shape = WireShape(String(name.dropFirst(9))) {
            self = .list(shape, false)
        } else if name.hasPrefix("["), let shape = WireShape(String(name.dropFirst().dropLast())) {
            self = .list(shape, true)
        } else if name.hasPrefix("("), name.contains(",") {
            var shapes: [WireShape] = []
            for part in name.dropFirst().dropLast().split(separator: ",") {
                guard let shape = WireShape(part.trimmingPrefix { $0 == " " }.description) else { return nil }
                shapes.append(shape)
            }
            self = .tuple(shapes)
        } else {
            return nil
        }
    }

    private static func bare(_ name: String) -> String {
        name.hasPrefix("(") && !name.contains(",") ? String(name.dropFirst().dropLast()) : name
    }

    func decode(_ parser: inout WireParser) throws(WireError) -> VectorValue {
        switch self {
        case .character: return .string(String(UnicodeScalar(try parser.byte())))
        case .bool: return .bool(try parser.read())
        case .word16: return .number(Int64(try parser.read(UInt16.self)))
        case .word32: return .number(Int64(try parser.read(UInt32.self)))
        case .int64, .seconds: return .string(String(try parser.read(Int64.self)))
        case .short: return Self.hex(try parser.read(ShortBytes.self).bytes)
        case .large: return Self.hex(try parser.read(LargeBytes.self).bytes)
        case .tail: return Self.hex(try parser.read(TailBytes.self).bytes)
        case .text: return .string(try parser.read())
        case .raw(let count): return Self.hex(try parser.take(count))
        case .versionRange:
            let range = try parser.read(VersionRange.self)
            return .array([.number(Int64(range.min)), .number(Int64(range.max))])
        case .optional(let shape):
            let value = try parser.optional { parser throws(WireError) in try shape.decode(&parser) }
            // Only a nested optional must be told from an absent one.
            if case .optional = shape { return value.map { .array([$0]) } ?? .null }
            return value ?? .null
        case .list(let shape, let mayBeEmpty):
            if !mayBeEmpty, parser.next == 0 { _ = try parser.nonEmptyList(of: UInt16.self) }
            return .array(try parser.list { parser throws(WireError) in try shape.decode(&parser) })
        case .tuple(let shapes):
            var values: [VectorValue] = []
            for shape in shapes { values.append(try shape.decode(&parser)) }
            return .array(values)
        }
    }

    func encode(_ value: VectorValue, to writer: inout WireWriter) throws {
        switch self {
        case .character: writer.write(text: try Self.required(value.string))
        case .bool: writer.write(try Self.required(value.bool))
        case .word16: writer.write(UInt16(try Self.required(value.int)))
        case .word32: writer.write(UInt32(try Self.required(value.int)))
        case .int64: writer.write(try Self.required(value.int))
        case .seconds: writer.write(try Self.required(value.int ?? value["seconds"].int))
        case .short: writer.write(ShortBytes(try Self.required(value.hex)))
        case .large: writer.write(LargeBytes(try Self.required(value.hex)))
        case .tail: writer.write(TailBytes(try Self.required(value.hex)))
        case .text: writer.write(try Self.required(value.string))
        case .raw: writer.write(raw: try Self.required(value.hex))
        case .versionRange: writer.write(try Self.range(value))
        case .optional(let shape):
            guard !value.isNull else { return writer.write(byte: UInt8(ascii: "0")) }
            writer.write(byte: UInt8(ascii: "1"))
            if case .optional = shape { try shape.encode(value[0], to: &writer) } else { try shape.encode(value, to: &writer) }
        case .list(let shape, _):
            let values = try Self.required(value.array)
            writer.write(byte: UInt8(values.count))
            for value in values { try shape.encode(value, to: &writer) }
        case .tuple(let shapes):
            for (index, shape) in shapes.enumerated() { try shape.encode(value[index], to: &writer) }
        }
    }

    static func range(_ value: VectorValue) throws -> VersionRange {
        try required(VersionRange(UInt16(try required(value[0].int)), UInt16(try required(value[1].int))))
    }

    static func hex(_ bytes: Bytes) -> VectorValue {
        let digits = Array("0123456789abcdef")
        return .string(String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }))
    }

    static func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw VectorError(description: "the value does not have the form of its type") }
        return value
    }
}
