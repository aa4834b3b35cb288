internal import SMPCrypto
public import SMPWire

/// The code that two contacts compare to be sure that nobody is between them.
public struct SecurityCode: Hashable, Sendable, CustomStringConvertible {
    /// Decimal digits in groups of five, with spaces between them.
    public let text: String

    /// The code of the data that both ratchets authenticate.
    public init(associatedData: Bytes) { self.init(hash: Hash.sha256(associatedData)) }

    /// The code of a hash: the number that it is, big-endian, in decimal digits.
    public init(hash: Bytes) {
        var groups: [String] = []
        let digits = Self.decimalDigits(of: hash)
        var start = digits.startIndex
        while start < digits.endIndex {
            let end = min(start + 5, digits.endIndex)
            groups.append(String(decoding: digits[start..<end], as: UTF8.self))
            start = end
        }
        text = groups.joined(separator: " ")
    }

    /// A textual form, for messages and logs.
    public var description: String { text }

    /// Tells whether a code that a person has entered is this one; spaces do not matter.
    public func matches(_ entered: String) -> Bool { Self.areSame(text, entered) }

    /// Tells whether two codes are the same but for spaces.
    public static func areSame(_ first: String, _ second: String) -> Bool {
        first.utf8.filter { $0 != 0x20 } == second.utf8.filter { $0 != 0x20 }
    }

    /// Divides by 100,000 until nothing is left; hashes are 32 bytes, so the square of the length does not matter.
    private static func decimalDigits(of bytes: Bytes) -> Bytes {
        var number = bytes.drop { $0 == 0 }.map(UInt32.init)
        guard !number.isEmpty else { return [UInt8(ascii: "0")] }
        var digits = Bytes()
        while !number.isEmpty {
            var remainder: UInt32 = 0
            for index in number.indices {
                let value = remainder << 8 | number[index]
                number[index] = value / 100_000
                remainder = value % 100_000
            }
            number = Array(number.drop { $0 == 0 })
            for _ in 0..<5 {
                digits.append(UInt8(ascii: "0") + UInt8(remainder % 10))
                remainder /= 10
            }
        }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits.reversed()
    }
}

extension Probe {
    /// The hash that is sent to find out whether someone has the same probe.
    public var hash: ProbeHash { ProbeHash(Hash.sha256(bytes)) }
}
