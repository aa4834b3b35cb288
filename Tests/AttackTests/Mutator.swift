import ChatProtocol
import SMPWire
import TestSupport

/// Changes of valid input that look for what a parser, a decision or a store does not expect. What it does follows from its seed.
struct Mutator {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Numbers at the ends of what types hold, as JSON.
    static let numbers = [
        "0", "-0", "-1", "1", "127", "128", "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "-2147483648",
        "-2147483649", "4294967295", "4294967296", "9007199254740991", "9007199254740993", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e18", "1e19", "1e308", "1e400", "-1e400",
        "1e-400", "1e-9223372036854775808", "1e9223372036854775807", "1e-9223372036854775809", "0.1", "0.5e1", "10e-1", "253402300800",
        "9223372036854775", "-62135596801", String(repeating: "9", count: 400), "0." + String(repeating: "0", count: 400) + "1",
    ]

    /// Integers at the ends of what the wire holds.
    static let integers: [UInt64] = [
        0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 53, 0x7FFF_FFFF_FFFF_FFFF, 1 << 63, .max - 1, .max,
    ]

    /// Texts that are more than they look like.
    static let texts = [
        "", " ", "\u{0}", "\n@mallory: forged", "\u{1B}]52;c;ZXZpbA==\u{7}", "\u{202E}gnp.exe", "\u{200B}", "\u{FEFF}", "e\u{301}", "'; DROP TABLE items; --",
        "../../etc/passwd",
        "%s%n", "1-65535", "99999999999999999999", "-1", "AA==", "====", "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2FAAAA%40localhost%2FAAAA",
        "{{ text }}", "/square 9", "[click](javascript:x)", String(repeating: "a", count: 5_000), String(repeating: "(", count: 2_000),
        String(repeating: "*`_~#", count: 500),
    ]

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(max(count, 1))) }

    mutating func chance(_ one: Int, in all: Int) -> Bool { below(all) < one }

    // MARK: JSON

    /// Changes one to three places of a value.
    mutating func mutated(_ value: JSONValue) -> JSONValue {
        var value = value
        for _ in 0...below(3) {
            var target = below(Self.nodes(value))
            value = changed(value, at: &target)
        }
        return value
    }

    private static func nodes(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): 1 + elements.reduce(0) { $0 + nodes($1) }
        case .object(let object): 1 + object.members.reduce(0) { $0 + nodes($1.value) }
        default: 1
        }
    }

    private mutating func changed(_ value: JSONValue, at target: inout Int) -> JSONValue {
        if target == 0 {
            target = -1
            return replacement(of: value)
        }
        target -= 1
        switch value {
        case .array(let elements):
            var changed: [JSONValue] = []
            for element in elements { changed.append(target < 0 ? element : self.changed(element, at: &target)) }
            return .array(changed)
        case .object(let object):
            var members: [(key: String, value: JSONValue)] = []
            for member in object.members { members.append((member.key, target < 0 ? member.value : changed(member.value, at: &target))) }
            return .object(JSONObject(distinct: members))
        default: return value
        }
    }

    private mutating func replacement(of value: JSONValue) -> JSONValue {
        switch (value, below(8)) {
        case (.number, 0...5): return number()
        case (.string, 0...4): return .string(pick(Self.texts))
        case (.object(let object), 0...3) where !object.isEmpty: return changedMembers(object)
        case (.array(let elements), 0...3): return .array((elements + elements).filter { _ in random.next() & 1 == 0 })
        case (.bool(let flag), 0...3): return .bool(!flag)
        case (_, 4): return .null
        case (_, 5): return number()
        case (_, 6): return .string(pick(Self.texts))
        default: return (0..<below(120)).reduce(value) { nested, level in level.isMultiple(of: 2) ? .array([nested]) : .object(JSONObject([("a", nested)])) }
        }
    }

    /// Without a member, with one renamed, or with one of another's value.
    private mutating func changedMembers(_ object: JSONObject) -> JSONValue {
        var members = object.members
        let index = below(members.count)
        switch below(3) {
        case 0: members.remove(at: index)
        case 1: members[index].key = pick(["ttl", "type", "event", "params", "profile", "content", "memberId", "\u{0}"])
        default: members[index].value = pick(members).value
        }
        return .object(JSONObject(members.map { ($0.key, $0.value) }))
    }

    private mutating func number() -> JSONValue { (try? JSONValue(parsing: pick(Self.numbers))) ?? .null }

    // MARK: Bytes

    /// Changes one to four places of bytes: bits, integers, lengths, pieces.
    mutating func mutated(_ bytes: Bytes) -> Bytes {
        var bytes = bytes
        for _ in 0...below(4) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout Bytes) {
        guard !bytes.isEmpty else { return bytes.append(UInt8(truncatingIfNeeded: random.next())) }
        let offset = below(bytes.count)
        switch below(8) {
        case 0: bytes[offset] ^= 1 << UInt8(below(8))
        case 1: bytes[offset] = pick([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
        case 2, 3:
            let width = pick([1, 2, 4, 8]), value = pick(Self.integers)
            for index in 0..<width where offset + index < bytes.count {
                bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index)))
            }
        case 4: bytes.removeSubrange(offset..<min(bytes.count, offset + 1 + below(16)))
        case 5: bytes.removeLast(bytes.count - offset)
        case 6: bytes.insert(contentsOf: bytes[offset..<min(bytes.count, offset + 1 + below(40))], at: below(bytes.count))
        default: bytes.insert(contentsOf: Bytes(repeating: pick([0, 0x20, 0xFF]), count: 1 + below(300)), at: offset)
        }
    }
}
