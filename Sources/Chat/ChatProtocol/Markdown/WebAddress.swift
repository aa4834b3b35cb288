internal import SMPWire

/// An `http` or `https` address (RFC 3986), as texts may hold it: the host has a point in it, and the query may have any
/// characters.
public struct WebAddress: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// The user name and password before `@`; percent escapes are decoded.
    let userInfo: Bytes?
    let host: Bytes
    let port: Int?
    /// With percent escapes decoded.
    let path: Bytes
    /// Names and values with percent escapes decoded, but those without a name.
    let query: [Item]
    let fragment: Bytes?

    struct Item: Hashable, Sendable {
        var name: Bytes
        var value: Bytes
    }

    /// - Returns: nil unless all of the text is such an address.
    public init?(_ text: String) {
        var reader = WebAddressReader(bytes: Bytes(text.utf8))
        guard let scheme = reader.scheme(), scheme == "http" || scheme == "https", reader.skip("//") else { return nil }
        self.scheme = scheme
        userInfo = reader.userInfo()
        guard let host = reader.host(), host.contains(UInt8(ascii: ".")) else { return nil }
        self.host = host
        port = reader.port()
        path = reader.path()
        guard let query = reader.query() else { return nil }
        self.query = query
        fragment = reader.fragment()
        guard reader.isAtEnd else { return nil }
    }

    private init(_ other: WebAddress, query: [Item]) {
        scheme = other.scheme
        userInfo = other.userInfo
        host = other.host
        port = other.port
        path = other.path
        self.query = query
        fragment = other.fragment
    }

    func with(query: [Item]) -> WebAddress { WebAddress(self, query: query) }

    /// The address with all but plain characters escaped.
    public var text: String {
        var text = Bytes("\(scheme)://".utf8)
        if let userInfo {
            // Names and passwords have a colon between them, even if there is no password.
            let user = userInfo.prefix { $0 != UInt8(ascii: ":") }
            text += user + [UInt8(ascii: ":")] + userInfo[user.endIndex...].dropFirst() + [UInt8(ascii: "@")]
        }
        text += host
        if let port { text += Bytes(":\(port)".utf8) }
        text += PercentEncoding.encode(path, keeping: PercentEncoding.pathCharacters)
        for (index, item) in query.enumerated() {
            text.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            text += PercentEncoding.encode(item.name, keeping: PercentEncoding.unreserved)
            text.append(UInt8(ascii: "="))
            text += PercentEncoding.encode(item.value, keeping: PercentEncoding.unreserved)
        }
        if let fragment { text += [UInt8(ascii: "#")] + fragment }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Reads the parts of an address one after another.
private struct WebAddressReader {
    let bytes: Bytes
    var position = 0

    init(bytes: Bytes) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skip(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func take(_ characters: ASCIISet) -> Bytes {
        let start = position
        while let byte = next, characters.contains(byte) { position += 1 }
        return Bytes(bytes[start..<position])
    }

    private static let lettersAndDigits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    private static let digits = ASCIISet("0123456789")
    private static let schemeCharacters = ASCIISet(lettersAndDigits + "-+.")
    /// A registered name, with percent escapes.
    private static let names = lettersAndDigits + "~._-%!$&'()*+,;="
    private static let nameCharacters = ASCIISet(names)
    private static let userCharacters = ASCIISet(names + ":")
    private static let pathCharacters = ASCIISet(names + ":@")
    private static let fragmentCharacters = ASCIISet(names + ":@?/")
    private static let ipV6Characters = ASCIISet("0123456789abcdefABCDEF:.")

    mutating func scheme() -> String? {
        guard let first = next, Unicode.Scalar(first).isASCIILetter else { return nil }
        let name = take(Self.schemeCharacters)
        return skip(":") ? String(decoding: name, as: UTF8.self) : nil
    }

    mutating func userInfo() -> Bytes? {
        let start = position
        let text = take(Self.userCharacters)
        guard !text.isEmpty, skip("@") else {
            position = start
            return nil
        }
        return PercentEncoding.decode(text, plusIsSpace: false)
    }

    mutating func host() -> Bytes? {
        let start = position
        if skip("[") {
            let address = take(next == UInt8(ascii: "v") ? Self.userCharacters : Self.ipV6Characters)
            guard !address.isEmpty, skip("]") else { return nil }
            return address
        }
        if let address = ipV4Address() { return address }
        position = start
        let name = take(Self.nameCharacters)
        return name.isEmpty ? nil : PercentEncoding.decode(name, plusIsSpace: false)
    }

    /// Four numbers from 1 to 255; others are names.
    private mutating func ipV4Address() -> Bytes? {
        let start = position
        for index in 0..<4 {
            if index > 0, !skip(".") { return nil }
            let digits = take(Self.digits)
            guard digits.count <= 3, let number = Int(String(decoding: digits, as: UTF8.self)), (1...255).contains(number) else {
                return nil
            }
        }
        return Bytes(bytes[start..<position])
    }

    mutating func port() -> Int? {
        let start = position
        guard skip(":") else { return nil }
        let digits = take(Self.digits)
        guard !digits.isEmpty else {
            position = start
            return nil
        }
        // Too large a number wraps, as it does for the official clients; nobody listens there.
        return digits.reduce(0) { $0 &* 10 &+ Int($1 - UInt8(ascii: "0")) }
    }

    mutating func path() -> Bytes {
        let start = position
        while skip("/") { _ = take(Self.pathCharacters) }
        return PercentEncoding.decode(Bytes(bytes[start..<position]), plusIsSpace: true)
    }

    /// - Returns: nil if something else than a query or fragment follows.
    mutating func query() -> [WebAddress.Item]? {
        guard let next, next != UInt8(ascii: "#") else { return [] }
        guard skip("?") else { return nil }
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        defer { position = end }
        return bytes[position..<end].split(separator: UInt8(ascii: "&")).compactMap { item in
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            guard !name.isEmpty else { return nil }
            return WebAddress.Item(
                name: PercentEncoding.decode(Bytes(name), plusIsSpace: true),
                value: PercentEncoding.decode(Bytes(item[name.endIndex...].dropFirst()), plusIsSpace: true))
        }
    }

    mutating func fragment() -> Bytes? {
        guard skip("#") else { return nil }
        return take(Self.fragmentCharacters)
    }
}

enum PercentEncoding {
    private static let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789~._-"
    static let unreserved = ASCIISet(plain)
    static let pathCharacters = ASCIISet(plain + "/:@&=+$,")
    private static let hexDigits = Bytes("0123456789ABCDEF".utf8)

    static func encode(_ bytes: Bytes, keeping characters: ASCIISet) -> Bytes {
        bytes.flatMap { byte in
            characters.contains(byte)
                ? [byte] : [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
        }
    }

    /// A percent sign without two hexadecimal digits after it is a literal percent sign.
    static func decode(_ bytes: Bytes, plusIsSpace: Bool) -> Bytes {
        var result = Bytes()
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
                index += 1
            }
        }
        return result
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
