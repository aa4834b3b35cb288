internal import ChatProtocol
internal import Foundation

/// Links in a text, as strictly as moderation needs them: what an app shows as a link, and domain names that people type out.
struct TextLinks: Sendable {
    /// The hosts of web links and the domain names, in lower case.
    private(set) var hosts: [String] = []
    /// True if there is a link to a contact, group or channel of SimpleX.
    private(set) var hasSimplexLink = false

    var isEmpty: Bool { hosts.isEmpty && !hasSimplexLink }

    init(in text: String) {
        let bytes = Array(text.utf8)
        var index = 0, mayHideSimplexLink = false
        while index < bytes.count {
            // Most words have neither a point nor a colon.
            guard bytes[index] == UInt8(ascii: ".") || bytes[index] == UInt8(ascii: ":"), index + 1 < bytes.count, !Self.isSpace(bytes, index + 1) else {
                index += 1
                continue
            }
            var start = index, end = index
            while start > 0, !Self.isSpace(bytes, start - 1) { start -= 1 }
            while end < bytes.count, !Self.isSpace(bytes, end) { end += 1 }
            if end - start > 2 {
                let word = String(decoding: bytes[start..<end], as: UTF8.self)
                read(word[...])
                mayHideSimplexLink = mayHideSimplexLink || Self.mayBeSimplexLink(word[...]) && word.contains("](")
            }
            index = end
        }
        // The text that an app shows instead of a link can have several words.
        if mayHideSimplexLink, !hasSimplexLink { hasSimplexLink = Self.showsSimplexLink(text) }
    }

    private static func mayBeSimplexLink(_ word: Substring) -> Bool {
        guard word.utf8.contains(UInt8(ascii: ":")) else { return false }
        return word.firstRange(of: "simplex:/") != nil || word.utf8.contains(UInt8(ascii: "#")) && word.firstRange(of: "://") != nil
    }

    private static func showsSimplexLink(_ text: String) -> Bool {
        Markdown.parse(text)?.contains { $0.format?.isSimplexLink == true } == true
    }

    /// Checks whether white space ends at a byte: all of ASCII, and the spaces of other scripts.
    private static func isSpace(_ bytes: [UInt8], _ index: Int) -> Bool {
        let byte = bytes[index]
        if byte < 0x80 { return byte <= 0x20 }
        // U+00A0, and U+2000 to U+3000 by the last byte of three.
        if byte == 0xA0, index >= 1, bytes[index - 1] == 0xC2 { return true }
        guard byte < 0xC0, index >= 2 else { return false }
        switch (bytes[index - 2], bytes[index - 1]) {
        case (0xE2, 0x80): return byte <= 0x8A || byte == 0xA8 || byte == 0xA9 || byte == 0xAF
        case (0xE2, 0x81): return byte == 0x9F
        case (0xE3, 0x80): return byte == 0x80
        default: return false
        }
    }

    private mutating func read(_ word: Substring) {
        if Self.mayBeSimplexLink(word), Self.showsSimplexLink(String(word)) { hasSimplexLink = true }
        if let host = Self.bareHost(word) { hosts.append(host) }
        guard word.utf8.contains(UInt8(ascii: ":")) else { return }
        var rest = word
        while let scheme = rest.firstRange(of: "://") {
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !"/?#\\".contains($0) }, host = Self.host(authority)
            if let host { hosts.append(host) }
            // The name of a user can hold signs that end an address in a text.
            if let at = authority.lastIndex(of: "@"), let other = Self.host(authority[authority.index(after: at)...]), other != host { hosts.append(other) }
        }
    }

    /// The host in what stands between a scheme and a path: without the name of a user and the port, and without percent escapes.
    private static func host(_ text: Substring) -> String? {
        var authority = text.prefix { !")]>\"'<,".contains($0) }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        // Signs of the text stand behind the port or, without one, behind the host.
        for _ in 1...2 {
            while authority.last.map({ ".!?;:*_~`".contains($0) }) == true { authority.removeLast() }
            if let colon = authority.lastIndex(of: ":"), authority[authority.index(after: colon)...].allSatisfy(\.isNumber) { authority = authority[..<colon] }
        }
        let host = authority.removingPercentEncoding ?? String(authority)
        return host.contains(".") ? host.lowercased() : nil
    }

    /// A domain name without a scheme: labels with points between them, and a top level of two or more letters.
    private static func bareHost(_ word: Substring) -> String? {
        guard word.contains(".") else { return nil }
        var name = word.drop { !$0.isLetter && !$0.isNumber }
        name = name.prefix { !"/?#:\\)]>\"'<,!*".contains($0) }
        // An e-mail address is no link, but its domain is one.
        if let at = name.lastIndex(of: "@") { name = name[name.index(after: at)...] }
        while let last = name.last, !last.isLetter, !last.isNumber { name.removeLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let top = labels.last, (2...24).contains(top.count), top.allSatisfy(\.isLetter),
            labels.allSatisfy({ label in !label.isEmpty && label.count <= 63 && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } })
        else { return nil }
        return name.lowercased()
    }
}

/// Domains, each with those below it.
struct DomainSet: Sendable {
    private let domains: Set<String>

    init(_ domains: [String]) { self.domains = Set(domains) }

    /// The domain of the set that the host is or is below; nil if there is none.
    func covering(_ host: String) -> String? {
        var rest = host[...]
        while true {
            if domains.contains(String(rest)) { return String(rest) }
            guard let dot = rest.firstIndex(of: ".") else { return nil }
            rest = rest[rest.index(after: dot)...]
        }
    }

    /// A domain as a list holds it, without scheme, path and leading `*.`; nil if the text is none.
    static func normalized(_ text: String) -> String? {
        var name = text.trimmed.lowercased()[...]
        if let scheme = name.firstRange(of: "://") { name = name[scheme.upperBound...] }
        if name.hasPrefix("*.") { name = name.dropFirst(2) }
        name = name.prefix { $0 != "/" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in !label.isEmpty && label.count <= 63 && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } }
        return isName && name.count <= 253 ? String(name) : nil
    }
}
