package import Foundation

/// A JSON value of a vector file, read leniently by tests: a missing key is ``null``.
package enum VectorValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Int64)
    case decimal(Double)
    case string(String)
    case array([VectorValue])
    case object([String: VectorValue])

    init(_ any: Any) {
        switch any {
        case let number as NSNumber where !(any is String):
            if CFBooleanLike.isBoolean(number) {
                self = .bool(number.boolValue)
            } else if let whole = Int64(exactly: number) {
                self = .number(whole)
            } else {
                self = .decimal(number.doubleValue)
            }
        case let text as String: self = .string(text)
        case let list as [Any]: self = .array(list.map(VectorValue.init))
        case let members as [String: Any]: self = .object(members.mapValues(VectorValue.init))
        default: self = .null
        }
    }

    package subscript(_ key: String) -> VectorValue {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    package subscript(_ index: Int) -> VectorValue {
        if case .array(let list) = self, list.indices.contains(index) { list[index] } else { .null }
    }

    package var isNull: Bool { self == .null }
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    package var array: [VectorValue]? { if case .array(let list) = self { list } else { nil } }
    package var object: [String: VectorValue]? { if case .object(let members) = self { members } else { nil } }

    /// A number, also one that is written as a decimal string.
    package var int: Int64? {
        switch self {
        case .number(let number): number
        case .string(let text): Int64(text)
        default: nil
        }
    }

    /// The bytes of a lowercase hex string.
    package var hex: [UInt8]? {
        guard let text = string, text.utf8.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(value))
                high = nil
            } else {
                high = UInt8(value)
            }
        }
        return bytes
    }

    /// The value in Foundation's types, for comparing with what a JSON encoder made.
    package var foundation: Any {
        switch self {
        case .null: NSNull()
        case .bool(let flag): flag
        case .number(let number): number
        case .decimal(let number): number
        case .string(let text): text
        case .array(let list): list.map(\.foundation)
        case .object(let members): members.mapValues(\.foundation)
        }
    }

    /// Reads JSON text, so that two texts can be compared as values.
    package init(json: Data) throws {
        self.init(try JSONSerialization.jsonObject(with: json, options: [.fragmentsAllowed]))
    }
}

/// JSONSerialization gives numbers and truth values the same class; only the encoding type tells them apart.
enum CFBooleanLike {
    static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}
