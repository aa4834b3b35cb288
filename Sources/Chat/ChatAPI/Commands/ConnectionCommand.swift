public import ChatProtocol

/// Which targets a plan looks up.
public enum PlanResolveMode: String, Sendable, Hashable, CaseIterable {
    /// Those that are not known, and all groups: what their links show now may differ from what is known.
    case allGroups
    /// Those that are not known.
    case unknown
    /// None: one that is not known is an error (`notResolvedLocally`).
    case never
}

/// Commands about links and names, and connecting by them. Links and names are text: whether they lead anywhere is for the core to say
/// (`invalidConnReq`).
public enum ConnectionCommand: Sendable, Hashable {
    /// Makes a one-time link.
    case add(user: UserID?, incognito: Bool = false)
    /// Tells what connecting by a link, or by a name such as `@ann.simplex` or `#news.simplex`, would do.
    case plan(user: UserID, link: String, resolve: PlanResolveMode = .unknown, ownerSignature: LinkOwnerSignature? = nil)
    /// Makes a contact from a link, before connecting; with the domain that was resolved to the link, if there was one.
    case prepareContact(user: UserID, CreatedConnectionLink, ContactShortLinkData, domain: String? = nil)
    /// Makes a group from a link, before joining; `direct` unless it is joined by relays. With the domain that was resolved to the link, if there was one.
    case prepareGroup(user: UserID, CreatedConnectionLink, direct: Bool = true, GroupShortLinkData, domain: String? = nil)
    /// Connects by a full link, with the short one if there is one. Nil means a text that is not a full link.
    case connect(user: UserID, incognito: Bool = false, CreatedConnectionLink?)
    /// Connects by any link or name, as the active profile.
    case connectLink(incognito: Bool = false, String)
    /// Connects to the developers of SimpleX.
    case connectSimplex(incognito: Bool = false)
    /// Sets whether a link that was made shows a random profile.
    case setIncognito(connection: ChatConnectionID, Bool)
    /// Moves a link that was made to another profile.
    case changeUser(connection: ChatConnectionID, to: UserID)
    /// Sets the alias of a link; empty to remove it.
    case setAlias(connection: ChatConnectionID, String)
}

extension ConnectionCommand {
    var commandString: String {
        switch self {
        case .add(let user?, let incognito): "/_connect \(user)\(CommandText.incognito(incognito))"
        case .add(nil, let incognito): "/connect" + (incognito ? " incognito" : "")
        case .plan(let user, let link, let resolve, let signature):
            "/_connect plan \(user) \(link)\(resolve.option)"
                + (signature.map { " sig=\(CommandText.json($0))" } ?? "")
        case .prepareContact(let user, let link, let data, let domain):
            "/_prepare contact \(user) \(link.words)\(CommandText.domain(domain)) \(CommandText.json(data))"
        case .prepareGroup(let user, let link, let direct, let data, let domain):
            "/_prepare group \(user) \(link.words)\(direct ? "" : " direct=off")\(CommandText.domain(domain)) \(CommandText.json(data))"
        case .connect(let user, let incognito, let link):
            "/_connect \(user)\(CommandText.incognito(incognito)) \(link?.words ?? "?")"
        case .connectLink(let incognito, let link): "/connect\(incognito ? " incognito" : "") \(link)"
        case .connectSimplex(let incognito): "/simplex" + (incognito ? " incognito" : "")
        case .setIncognito(let id, let on): "/_set incognito :\(id) \(CommandText.flag(on))"
        case .changeUser(let id, let user): "/_set conn user :\(id) \(user)"
        case .setAlias(let id, let alias): "/_set alias :\(id)" + (alias.isEmpty ? "" : " \(alias)")
        }
    }

    static let forms: [CommandForm] = [
        CommandForm("/_connect plan ") { r throws(CommandMismatch) in
            let user = try r.idSpace(UserID.self)
            let link = r.word()
            let resolve = r.optional(" resolve=") { r throws(CommandMismatch) in try PlanResolveMode(option: r.word()) } ?? .unknown
            let signature: LinkOwnerSignature? = r.optional(" sig=") { r throws(CommandMismatch) in try r.json() }
            return .connections(.plan(user: user, link: link, resolve: resolve, ownerSignature: signature))
        },
        CommandForm("/_prepare contact ") { r throws(CommandMismatch) in
            let user = try r.idSpace(UserID.self)
            let link = try r.createdLink(), domain = r.skip(" domain=") ? r.word() : nil
            return .connections(.prepareContact(user: user, link, try r.spaceJSON(), domain: domain))
        },
        CommandForm("/_prepare group ") { r throws(CommandMismatch) in
            let user = try r.idSpace(UserID.self)
            let link = try r.createdLink()
            let direct = r.flag(after: " direct=", default: true), domain = r.skip(" domain=") ? r.word() : nil
            return .connections(.prepareGroup(user: user, link, direct: direct, try r.spaceJSON(), domain: domain))
        },
        CommandForm("/_connect ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            return .connections(.add(user: user, incognito: r.incognito()))
        },
        CommandForm("/_connect ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            let incognito = r.incognito()
            try r.expect(" ")
            if let link = r.optional({ r throws(CommandMismatch) in try r.createdLink() }) {
                return .connections(.connect(user: user, incognito: incognito, link))
            }
            _ = r.word()
            return .connections(.connect(user: user, incognito: incognito, nil))
        },
        CommandForm("/_set incognito :") { r throws(CommandMismatch) in
            .connections(.setIncognito(connection: try r.idSpace(), try r.flag()))
        },
        CommandForm("/_set conn user :") { r throws(CommandMismatch) in
            let (connection, user) = try r.pair(ChatConnectionID.self, UserID.self)
            return .connections(.changeUser(connection: connection, to: user))
        },
        CommandForm("/_set alias :") { r throws(CommandMismatch) in
            .connections(.setAlias(connection: try r.id(), r.skip(" ") ? r.rest() : ""))
        },
        CommandForm("/connect", "/c") { r in .connections(.add(user: nil, incognito: r.consoleIncognito())) },
        CommandForm("/connect", "/c") { r throws(CommandMismatch) in
            let incognito = r.consoleIncognito()
            try r.expect(" ")
            return .connections(.connectLink(incognito: incognito, r.take { !CommandReader.isSpace($0) }))
        },
        CommandForm("/simplex") { r in .connections(.connectSimplex(incognito: r.consoleIncognito())) },
    ]
}

extension PlanResolveMode {
    /// The option of the command. `on` is what all versions of the API know.
    fileprivate var option: String {
        switch self {
        case .allGroups: " resolve=on"
        case .unknown: ""
        case .never: " resolve=never"
        }
    }

    /// Reads a mode, or `on` and `off` as until 7.0.
    fileprivate init(option word: String) throws(CommandMismatch) {
        switch word {
        case "on": self = .allGroups
        case "off": self = .unknown
        default:
            guard let mode = PlanResolveMode(rawValue: word) else { throw CommandMismatch() }
            self = mode
        }
    }
}

extension CommandText {
    /// ` domain=` and a domain, or nothing.
    static func domain(_ domain: String?) -> String { domain.map { " domain=\($0)" } ?? "" }
}

extension CreatedConnectionLink {
    /// The full link, and then the short one.
    fileprivate var words: String { fullLink + (shortLink.map { " \($0)" } ?? "") }
}

extension CommandReader {
    /// ` incognito` or ` i`, if it comes.
    mutating func consoleIncognito() -> Bool { skip(" incognito") || skip(" i") }

    /// A full link, with an optional short one after it.
    fileprivate mutating func createdLink() throws(CommandMismatch) -> CreatedConnectionLink {
        let full = word()
        guard LinkShape(full) == .full else { throw CommandMismatch() }
        let short = optional(" ") { reader throws(CommandMismatch) in
            let word = reader.word()
            guard LinkShape(word) == .short else { throw CommandMismatch() }
            return word
        }
        return CreatedConnectionLink(fullLink: full, shortLink: short)
    }
}

/// The shape of a link. Full links name a request and a version in the fragment, short ones a key.
enum LinkShape: Equatable {
    case full
    case short

    init?(_ link: String) {
        guard link.hasPrefix("simplex:/") || link.hasPrefix("https://"), let hash = link.firstIndex(of: "#") else { return nil }
        guard let kind = link[..<hash].split(separator: "/", omittingEmptySubsequences: false).last else { return nil }
        let fragment = link[link.index(after: hash)...]
        switch kind {
        case "invitation", "contact": self = .full
        case "i", "a", "g", "c", "r": self = .short
        default: return nil
        }
        if self == .full, !(fragment.hasPrefix("/?") && fragment.contains("smp=smp%3A%2F%2F")) { return nil }
        if fragment.isEmpty { return nil }
    }
}
