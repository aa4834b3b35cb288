internal import SMPProtocol
internal import SMPWire

/// The target of a word or a link in a text.
enum LinkFormat {
    /// The format of a word, which may end with punctuation that is not part of a link.
    static func word(_ word: ArraySlice<Unicode.Scalar>, withoutPunctuation content: ArraySlice<Unicode.Scalar>) -> TextFormat? {
        if isAddress(content) {
            // All SimpleX links have a fragment, most other addresses have none.
            if word.contains("#"), let format = simplexLink(String(scalars: word), showText: nil, acceptsFull: true) {
                return format
            }
            return WebAddress(String(scalars: content)) != nil ? .uri : nil
        }
        if content.contains("."), isDomain(content) { return .uri }
        if word.contains("@"), EmailAddress.isValid(Bytes(String(scalars: content).utf8)) { return .email }
        return nil
    }

    /// The format of a link with a text of its own. Full SimpleX links cannot hide behind a text.
    static func hyperLink(showing text: String, to link: String) -> TextFormat? {
        if link.utf8.contains(UInt8(ascii: "#")) {
            if let format = simplexLink(link, showText: text, acceptsFull: false) { return format }
            if (try? ConnectionRequestURI(wireString: link)) != nil { return nil }
        }
        return WebAddress(link) == nil ? nil : .hyperLink(showText: text, linkURI: link)
    }

    private static let schemes = ["http://", "https://", "simplex:/"].map { Array($0.unicodeScalars) }

    private static func isAddress(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        word.count >= 10 && schemes.contains { word.starts(with: $0) }
    }

    /// Recognises a likely domain: a name and a top level of Latin letters, possibly with a word before them.
    private static func isDomain(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        let parts = word.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 && (3...8).contains(parts[0].count) else { return false }
        let name = parts[parts.count - 2]
        let top = parts[parts.count - 1]
        return (1...24).contains(name.count) && (2...8).contains(top.count)
            && name.allSatisfy(\.isASCIILetter) && top.allSatisfy(\.isASCIILetter)
    }

    private static func simplexLink(_ text: String, showText: String?, acceptsFull: Bool) -> TextFormat? {
        if acceptsFull, let link = try? ConnectionRequestURI(wireString: text) {
            return .simplexLink(
                showText: showText, linkType: type(of: link), simplexURI: link.wireString,
                smpHosts: link.request.queues.flatMap(\.address.server.hosts).map(\.description))
        }
        guard let link = try? ConnectionShortLink(wireString: text) else { return nil }
        return .simplexLink(
            showText: showText, linkType: type(of: link), simplexURI: link.with(scheme: .simplex).wireString,
            smpHosts: link.server.hosts.map(\.description))
    }

    /// A contact link is a group's if its client data say so.
    private static func type(of link: ConnectionRequestURI) -> SimplexLinkType {
        guard link.mode == .contact else { return .invitation }
        let isGroup = link.request.clientData.flatMap { try? GroupLinkClientData(parsing: $0) } != nil
        return isGroup ? .group : .contact
    }

    private static func type(of link: ConnectionShortLink) -> SimplexLinkType {
        switch link {
        case .invitation: .invitation
        case .contact(_, .contact, _, _): .contact
        case .contact(_, .group, _, _): .group
        case .contact(_, .channel, _, _): .channel
        case .contact(_, .relay, _, _): .relay
        }
    }
}
