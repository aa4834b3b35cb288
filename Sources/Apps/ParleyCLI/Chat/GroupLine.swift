import ChatAPI
import ChatProtocol

/// A line about groups that a person types in `parley chat`; most of them are about the group that is open.
enum GroupLine: Equatable {
    case open(String)
    case join(String?)
    case add(String, GroupMemberRole)
    case members
    case role(String, GroupMemberRole)
    case remove(String, withMessages: Bool)
    case block(String, Bool)
    case moderate(item: ChatItemID?)
    case link(GroupMemberRole?)
    case unlink
    case review(Bool)
    case support(String?)
    case comment(String, post: ChatItemID?)
    case comments(post: ChatItemID?)
    case report(ReportReason, String, item: ChatItemID?)
    case leave

    static let usage = """
        :group NAME        talk to a group, and make it if there is none of that name
        :join [NAME|LINK]  join a group that you are invited to, or by its link
        :add NAME [ROLE]   invite a contact to the group
        :members           list the members of the group
        :role NAME ROLE    make a member owner, admin, moderator, member or observer
        :remove NAME [messages]
                           remove a member; with their messages
        :block NAME        hide what a member writes from all, or, if you do not moderate, from you; :unblock NAME
        :moderate          delete the last message that you got for all members
        :report [REASON] [TEXT]
                           report the last message that you got to the moderators: spam, content, community, profile or other
        :link [ROLE]       show the link of the group, and make one if need be, for new members of that role; :unlink deletes it
        :review on|off     let moderators review who joins by the link, or not
        :support [NAME]    talk to the moderators, or as a moderator to a member, unseen by others
        :comment TEXT      comment the newest post of the open channel; :comments shows the comments on it
        :leave             leave the group
        """

    static let words = [
        "group", "join", "add", "members", "role", "remove", "block", "unblock", "moderate", "report", "link", "unlink", "review", "support", "comment",
        "comments", "leave",
    ]

    /// Roles that a person can give.
    private static let roles: [GroupMemberRole] = [.owner, .admin, .moderator, .member, .observer]

    /// A line of a word and the rest; nil for a word that is not about groups.
    init?(_ word: String, _ argument: String) throws(ChatLine.Fault) {
        func needed(_ what: String) throws(ChatLine.Fault) -> String {
            guard !argument.isEmpty else { throw ChatLine.Fault(message: ":\(word) needs \(what)") }
            return argument
        }
        switch word {
        case "group": self = .open(Self.name(try needed("a name"), without: "#"))
        case "join": self = .join(argument.isEmpty ? nil : Self.name(argument, without: "#"))
        case "add":
            let (name, role) = Self.nameAndRole(try needed("the name of a contact"))
            self = .add(name, role ?? .member)
        case "members": self = .members
        case "role":
            let (name, role) = Self.nameAndRole(try needed("the name of a member and a role"))
            guard let role else {
                throw ChatLine.Fault(message: ":role needs a role after the name: \(Self.roles.map(\.code).joined(separator: ", "))")
            }
            self = .role(name, role)
        case "remove":
            let name = Self.name(try needed("the name of a member"), without: "@")
            let (first, last) = Self.lastWord(of: name)
            self = last == "messages" && !first.isEmpty ? .remove(first, withMessages: true) : .remove(name, withMessages: false)
        case "block", "unblock": self = .block(Self.name(try needed("the name of a member"), without: "@"), word == "block")
        case "link":
            guard !argument.isEmpty else {
                self = .link(nil)
                return
            }
            guard let role = Self.role(argument) else {
                throw ChatLine.Fault(message: ":link takes a role: member or observer")
            }
            self = .link(role)
        case "unlink": self = .unlink
        case "review":
            guard argument == "on" || argument == "off" else { throw ChatLine.Fault(message: ":review takes on or off") }
            self = .review(argument == "on")
        case "support": self = .support(argument.isEmpty ? nil : Self.name(argument, without: "@"))
        case "leave": self = .leave
        default: return nil
        }
    }

    /// Reasons for a report that a person can give.
    private static let reasons: [ReportReason] = [.spam, .content, .community, .profile, .other]

    /// A report: a reason, `other` by default, and the text for the moderators.
    static func report(_ argument: String, item: ChatItemID?) throws(ChatLine.Fault) -> GroupLine {
        let word = argument.prefix { !$0.isWhitespace }, text = String(argument[word.endIndex...].trimmed)
        guard let reason = reasons.first(where: { $0.code == word.lowercased() }) else { return .report(.other, argument, item: item) }
        return .report(reason, text, item: item)
    }

    /// The name of a member or contact, and the role after it, if there is one.
    static func nameAndRole(_ text: String) -> (name: String, role: GroupMemberRole?) {
        let name = name(text, without: "@"), (first, last) = lastWord(of: name)
        guard !first.isEmpty, let role = role(last) else { return (name, nil) }
        return (first, role)
    }

    /// A name without the optional sign before it.
    private static func name(_ text: String, without sign: Character) -> String {
        text.first == sign ? String(text.dropFirst()[...].trimmed) : text
    }

    private static func role(_ word: String) -> GroupMemberRole? { roles.first { $0.code == word.lowercased() } }

    private static func lastWord(of text: String) -> (first: String, last: String) {
        guard let space = text.lastIndex(where: \.isWhitespace) else { return ("", text) }
        return (String(text[..<space].trimmed), String(text[text.index(after: space)...]))
    }
}
