import SMPWire

/// The target of a request: its path, and the items of its query.
struct SocketQuery {
    let path: Substring
    private let items: [Substring]

    init(_ target: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts[0]
        items = parts.count > 1 ? parts[1].split(separator: "&") : []
    }

    /// The value of the first item of that name, with its escapes; nil if there is none.
    subscript(name: String) -> Substring? { items.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1) }

    /// The bytes of a value without its escapes. A `%` that begins no escape stands for itself.
    static func decoded(_ value: Substring) -> Bytes {
        var bytes: Bytes = [], rest = value.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, let high = nibble(digits.first), let low = nibble(digits.last) {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func nibble(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): byte - UInt8(ascii: "0")
        case .some(let byte) where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20): (byte | 0x20) - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
