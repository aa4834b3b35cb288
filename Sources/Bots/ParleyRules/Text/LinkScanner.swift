internal import ChatProtocol
internal import Foundation
internal import UnicodeText

/// Links in texts, as strictly as moderation needs them: what an app shows as a link, and domain names that people type out.
///
/// A bare name such as `example.com` is a link if its top-level domain exists: others, such as `node.js`, lead nowhere.
struct TextLinks: Sendable {
    /// The hosts of web links and all that can be a domain name, in canonical form: also names whose top level does not exist.
    private(set) var hosts: [String] = []
    /// The hosts of links to the web.
    private(set) var linkHosts: [String] = []
    /// True if there is a link to a contact, group or channel of SimpleX.
    private(set) var hasSimplexLink = false
    /// True if there is a link to the web that is written as one: with a scheme, or with `www.`.
    private(set) var hasAddress = false

    var isEmpty: Bool { linkHosts.isEmpty && !hasSimplexLink }

    init(in text: String) { self.init(in: [text]) }

    init(in texts: [String]) {
        for text in texts { read(text) }
    }

    private mutating func read(_ text: String) {
        let bytes = Array(text.utf8)
        var index = 0
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
                let isFollowed = end + 1 < bytes.count && bytes[end] == 0x20 && bytes[end + 1] > 0x20
                read(String(decoding: bytes[start..<end], as: UTF8.self)[...], isFollowed: isFollowed)
            }
            index = end
        }
        if !hasSimplexLink { hasSimplexLink = Markdown.hasSimplexLink(text) }
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

    private mutating func read(_ word: Substring, isFollowed: Bool) {
        if let name = BareName(word, isFollowed: isFollowed) {
            hosts.append(name.host)
            if name.isLink { linkHosts.append(name.host) }
            hasAddress = hasAddress || name.isAddress
        }
        guard word.utf8.contains(UInt8(ascii: ":")) else { return }
        var rest = word
        while let scheme = rest.firstRange(of: "://") {
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !"/?#\\".contains($0) }, host = Self.host(authority)
            if let host { append(host) }
            // The name of a user can hold signs that end an address in a text.
            if let at = authority.lastIndex(of: "@"), let other = Self.host(authority[authority.index(after: at)...]), other != host { append(other) }
        }
    }

    private mutating func append(_ host: String) {
        hosts.append(host)
        linkHosts.append(host)
        hasAddress = true
    }

    /// The host in the text between a scheme and a path: without the name of a user and the port, and without percent escapes.
    private static func host(_ text: Substring) -> String? {
        var authority = text.prefix { !")]>\"'<,".contains($0) }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        // Punctuation of the text follows the port or, without a port, the host.
        for _ in 1...2 {
            while authority.last.map({ ".!?;:*_~`".contains($0) }) == true { authority.removeLast() }
            if let colon = authority.lastIndex(of: ":"), authority[authority.index(after: colon)...].allSatisfy(\.isNumber) { authority = authority[..<colon] }
        }
        let host = DomainName.canonical(authority.removingPercentEncoding ?? String(authority))
        return host.contains(".") ? host : nil
    }
}

/// A domain name without a scheme: labels with points between them, and a top level of two or more letters.
private struct BareName {
    /// The name in canonical form.
    let host: String
    /// True if the name leads somewhere.
    let isLink: Bool
    /// True if it is written as an address.
    let isAddress: Bool

    /// Top-level domains that begin sentences, so that a missing blank before them makes a name: `I finished it.Now I go`.
    private static let firstWords: Set<Substring> = [
        "Am", "As", "At", "Be", "By", "Do", "Es", "He", "Here", "How", "Il", "In", "Is", "It", "La", "Ma", "Me", "My", "Ne", "No", "Now", "One", "Se", "Si",
        "So", "To", "Today", "Us", "You",
    ]

    /// - Parameter isFollowed: whether another word follows on the line.
    init?(_ word: Substring, isFollowed: Bool) {
        guard word.contains(".") else { return nil }
        let start = word.drop { !$0.isLetter && !$0.isNumber }
        var name = start
        name = name.prefix { !"/?#:\\)]>\"'<,!*".contains($0) }
        // An e-mail address is no link to the web, but its domain is a name, and apps open it.
        if let at = name.lastIndex(of: "@") { name = name[name.index(after: at)...] }
        while let last = name.last, !last.isLetter, !last.isNumber { name.removeLast() }
        guard name.contains(".") else { return nil }
        let host = DomainName.canonical(name), labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let top = labels.last, labels.allSatisfy(Self.isLabel), Self.isTop(top) else { return nil }
        self.host = host
        isAddress = host.hasPrefix("www.") && labels.count > 2
        let written = name.split(separator: ".").last ?? ""
        let isSentence = isFollowed && labels.count == 2 && Self.firstWords.contains(written) && labels[0].utf8.allSatisfy { $0 > 0x39 && $0 != 0x2D }
        // The text after the name: with a path, the name is an address.
        let rest = start[name.endIndex...]
        let isWhole = !(rest.first.map { "/?#:".contains($0) } == true && rest.dropFirst().first.map { $0.isLetter || $0.isNumber } == true)
        let isFile = isWhole && !isAddress && FileNameEnding.isFile(labels)
        // `@ann.me` is a mention, and `7.30.pm` a time.
        let isTime = top == "am" || top == "pm" ? labels.dropLast().allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } : false
        isLink = TopLevelDomain.exists(top) && !isSentence && !isFile && !isTime && word.first != "@"
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
    }

    private static func isTop(_ label: Substring) -> Bool {
        label.hasPrefix("xn--") || (2...24).contains(label.utf8.count) && label.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }
}

/// Endings of file names that are top-level domains, too, so that `README.md` is written like an address.
///
/// Apps make a link of such a name if it has letters only. It is taken for a file if it has other signs, or is one that projects and people use for files.
private enum FileNameEnding {
    private static let endings: Set<Substring> = ["am", "cc", "md", "mk", "ml", "mov", "pl", "ps", "py", "rs", "sh", "so", "tf", "zip"]

    /// Names before the ending.
    private static let files: Set<Substring> = [
        "about", "admin", "api", "app", "archive", "archives", "authors", "backup", "backups", "bot", "build", "bundle", "changelog", "changes", "cleanup",
        "cli",
        "client", "code", "config", "configure", "contributing", "contributors", "copying", "core", "data", "database", "demo", "deploy", "design", "dist",
        "docs",
        "document", "documents", "download", "downloads", "draft", "entrypoint", "example", "examples", "export", "faq", "file", "files", "film", "fonts",
        "functions",
        "guide", "hello", "helper", "helpers", "history", "home", "images", "import", "index", "init", "install", "installer", "invoice", "lib", "libc",
        "license",
        "licence", "list", "log", "logs", "main", "maintainers", "makefile", "manage", "manual", "mod", "model", "models", "module", "movie", "music", "news",
        "notes",
        "output", "package", "photo", "photos", "pictures", "plan", "plugin", "post", "presentation", "program", "project", "protocol", "readme", "recording",
        "release", "releases", "report", "requirements", "roadmap", "router", "routes", "run", "schema", "screenshots", "script", "scripts", "security",
        "server",
        "service", "settings", "setup", "slides", "source", "spec", "src", "start", "stop", "style", "summary", "support", "task", "tasks", "template", "test",
        "tests",
        "text", "thesis", "todo", "tool", "tools", "translation", "types", "uninstall", "update", "upgrade", "upload", "usage", "util", "utils", "variables",
        "version",
        "video", "videos", "views", "worker",
    ]

    static func isFile(_ labels: [Substring]) -> Bool {
        guard let ending = labels.last, endings.contains(ending) else { return false }
        // There are no names directly below the domain of Paraguay.
        if labels.count == 2, ending == "py" || files.contains(labels[0]) { return true }
        return labels.dropLast().contains { label in !label.utf8.allSatisfy { (0x61...0x7A).contains($0) } }
    }
}

/// Domains, each with those below it.
struct DomainSet: Sendable {
    /// The domains as they were written, by their canonical forms.
    private let domains: [String: String]

    /// A leading `www.` is left out: nobody means that host alone.
    init(_ domains: [String]) {
        self.domains = Dictionary(
            domains.map { domain in
                let name = DomainName.canonical(domain), rest = name.dropFirst("www.".count)
                return (name.hasPrefix("www.") && rest.contains(".") ? String(rest) : name, domain)
            }
        ) { first, _ in first }
    }

    var isEmpty: Bool { domains.isEmpty }

    /// The domain of the set that the host is or is below; nil if there is none.
    func covering(_ host: String) -> String? {
        guard !domains.isEmpty else { return nil }
        let host = DomainName.canonical(host)
        var rest = host[...]
        while true {
            if let domain = domains[String(rest)] { return domain }
            guard let dot = rest.firstIndex(of: ".") else { return nil }
            rest = rest[rest.index(after: dot)...]
        }
    }

    /// A domain as a list holds it, without scheme, path and leading `*.`; nil if the text is not a domain.
    static func normalized(_ text: String) -> String? {
        var name = text.trimmed.lowercased()[...]
        if let scheme = name.firstRange(of: "://") { name = name[scheme.upperBound...] }
        if name.hasPrefix("*.") { name = name.dropFirst(2) }
        name = name.prefix { $0 != "/" }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty && label.count <= 63 && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0.unicodeScalars.allSatisfy(\.isIgnorable) }
        }
        return isName && name.count <= DomainName.maximumLength ? String(name) : nil
    }
}
