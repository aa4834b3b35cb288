internal import SMPCrypto
internal import SMPProtocol
internal import SMPWire

extension Markdown {
    /// The text as it is shown: without the marks of formats, and with the texts of links in place of their addresses.
    public static func shown(_ text: String) -> String {
        guard hasMark(text), let pieces = parse(text) else { return text }
        return pieces.map(\.text).joined()
    }

    /// Most texts have no sign that is left out when they are shown.
    private static func hasMark(_ text: String) -> Bool {
        text.utf8.contains { byte in
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "`"), UInt8(ascii: "#"), UInt8(ascii: "!"), UInt8(ascii: "["): true
            default: false
            }
        }
    }
}

extension Markdown {
    /// Tells whether a text has a link to a contact, group or channel of SimpleX, also with signs around it that hide it from ``parse(_:)``: in brackets
    /// or quotation marks, before a full stop, or with spaces or invisible signs inside. Time is linear in the text's length.
    public static func hasSimplexLink(_ text: String) -> Bool {
        mayHaveSimplexLink(text) && (hasWholeSimplexLink(text) || hasSpacedSimplexLink(text))
    }

    private static func hasWholeSimplexLink(_ text: String) -> Bool {
        if parse(text)?.contains(where: { $0.format?.isSimplexLink == true }) == true { return true }
        let bytes = Array(text.utf8)
        let starts = bytes.indices.filter { SimplexLinkStart(bytes, $0) != nil }
        for (number, start) in starts.enumerated() {
            // What is behind the next scheme is a link of its own.
            let limit = number + 1 < starts.count ? starts[number + 1] : bytes.count
            if isSimplexLink(bytes, start, limit) { return true }
        }
        return false
    }

    /// Tells whether a text has a link of SimpleX if the white space and the invisible signs in it are left out. What follows the link touches it then.
    private static func hasSpacedSimplexLink(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.filter { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
        guard scalars.count < text.unicodeScalars.count else { return false }
        let bytes = Array(String(String.UnicodeScalarView(scalars)).utf8)
        let starts = bytes.indices.filter { SimplexLinkStart(bytes, $0) != nil }
        return starts.enumerated().contains { number, start in
            startsSimplexLink(bytes, start, number + 1 < starts.count ? starts[number + 1] : bytes.count)
        }
    }

    /// Characters of the key in a short link: 32 bytes in base64url.
    private static let keyLength = 43

    private static func startsSimplexLink(_ bytes: [UInt8], _ start: Int, _ limit: Int) -> Bool {
        guard let scheme = SimplexLinkStart(bytes, start), let hash = bytes[start..<limit].firstIndex(of: UInt8(ascii: "#")) else { return false }
        // A full link has the addresses of queues behind the sign. Its query may contain another scheme.
        let query = bytes[(hash + 1)...].prefix(longestQuery)
        if query.starts(with: "/?".utf8) {
            let isRequest = ["/contact", "/invitation", "/contact/", "/invitation/"].contains {
                bytes[start..<hash].suffix($0.utf8.count).elementsEqual($0.utf8)
            }
            return isRequest && hasQueue(query.dropFirst(2))
        }
        let fragment = bytes[(hash + 1)..<limit]
        // A short one has its key there, an invitation behind the identifier of its data.
        let key = fragment.prefix { $0 != UInt8(ascii: "/") }.count
        let lengths = key < fragment.count ? [keyLength, key + 1 + keyLength] : [keyLength]
        return lengths.contains { length in
            guard length <= fragment.count else { return false }
            let link = scheme.text + String(decoding: bytes[(start + scheme.text.utf8.count)..<(hash + 1 + length)], as: UTF8.self)
            return parse(link)?.contains { $0.format?.isSimplexLink == true } == true
        }
    }

    /// Tells whether the query of a full link names a queue: a router, the identifier of the queue and the owner's key. The text after the link touches it,
    /// so that only the beginning of the last value counts.
    private static func hasQueue(_ text: ArraySlice<UInt8>) -> Bool {
        var query = WireParser(Bytes(text))
        guard let queue = QueryString(from: &query).bytes("smp") else { return false }
        var parser = WireParser(queue)
        guard (try? SMPServerAddress(fromString: &parser)) != nil, parser.skip(UInt8(ascii: "/")), (try? SenderID(fromString: &parser)) != nil else {
            return false
        }
        _ = parser.skip(UInt8(ascii: "/"))
        guard parser.skip(UInt8(ascii: "#")) else { return false }
        // Version 1 had the key here.
        if let next = parser.next, next != UInt8(ascii: "/"), next != UInt8(ascii: "?") { return isKey(parser.rest()) }
        _ = parser.skip(UInt8(ascii: "/"))
        guard parser.skip(UInt8(ascii: "?")), let key = QueryString(from: &parser).bytes("dh") else { return false }
        return isKey(key)
    }

    private static func isKey(_ text: Bytes) -> Bool {
        (try? X25519.PublicKey(wireString: String(decoding: text.prefix(queueKeyLength), as: UTF8.self) + "=")) != nil
    }

    /// Characters of a queue's key without padding: 44 bytes in base64url.
    private static let queueKeyLength = 59

    /// Bytes of the query of a full link in which the addresses of queues are looked for.
    private static let longestQuery = 4_096

    private static func mayHaveSimplexLink(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "#")) && text.utf8.contains(UInt8(ascii: ":")) && text.utf8.contains(UInt8(ascii: "/"))
    }

    /// Signs at the end that can be of the sentence: a link can end with some of them, too.
    private static let longestEnd = 8

    private static func isSimplexLink(_ bytes: [UInt8], _ start: Int, _ limit: Int) -> Bool {
        guard let scheme = SimplexLinkStart(bytes, start) else { return false }
        var end = start
        while end < limit, !endsLink(bytes[end]) { end += 1 }
        guard bytes[start..<end].contains(UInt8(ascii: "#")) else { return false }
        for _ in 0...longestEnd {
            let link = scheme.text + String(decoding: bytes[start + scheme.text.utf8.count..<end], as: UTF8.self)
            if parse(link)?.contains(where: { $0.format?.isSimplexLink == true }) == true { return true }
            guard end > start + scheme.text.utf8.count + 1, isEndOfSentence(bytes[end - 1]) else { return false }
            end -= 1
        }
        return false
    }

    /// Links are ASCII without spaces, quotation marks and brackets.
    private static func endsLink(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"):
            true
        default: false
        }
    }

    private static func isEndOfSentence(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "*"),
            UInt8(ascii: "~"), UInt8(ascii: "_"), UInt8(ascii: "#"):
            true
        default: false
        }
    }
}

/// The scheme of what may be a link of SimpleX, in lower case as apps read it.
private struct SimplexLinkStart {
    let text: String

    init?(_ bytes: [UInt8], _ index: Int) {
        guard bytes[index] | 0x20 == UInt8(ascii: "s") || bytes[index] | 0x20 == UInt8(ascii: "h") else { return nil }
        guard let first = Self.schemes.first(where: { Self.stands($0.utf8, bytes, index) }) else { return nil }
        text = first
    }

    private static let schemes = ["simplex:/", "https://", "http://"]

    private static func stands(_ scheme: String.UTF8View, _ bytes: [UInt8], _ index: Int) -> Bool {
        guard index + scheme.count <= bytes.count else { return false }
        // Letters in lower case; the signs have the bit set already.
        return zip(scheme, bytes[index...]).allSatisfy { $0 == $1 | 0x20 }
    }
}
