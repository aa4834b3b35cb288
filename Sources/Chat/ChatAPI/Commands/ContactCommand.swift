public import ChatProtocol

/// Commands about contacts.
public enum ContactCommand: Sendable, Hashable {
    /// Lists the contacts of a profile.
    case list(user: UserID?)
    /// Tells a contact and the state of its connection.
    case info(ContactID)
    /// Asks the router about the queue.
    case queueInfo(ContactID)
    /// Sets the preferences for the contact.
    case setPreferences(ContactID, ChatPreferences)
    /// Sets the alias; empty to remove it.
    case setAlias(ContactID, String)
    /// Keeps any JSON object with the contact; nil to remove it.
    case setCustomData(ContactID, JSONValue?)
    /// Moves the connection to another address.
    case switchQueue(ContactID)
    /// Gives up the move to another address.
    case abortSwitch(ContactID)
    /// Synchronises the ratchets; `force` also when they seem to agree.
    case syncRatchet(ContactID, force: Bool = false)
    /// Tells the security code.
    case securityCode(ContactID)
    /// Compares the security code; nil takes the confirmation back.
    case verify(ContactID, code: String?)
    /// Resolves the domain that the contact claims, and compares it with the link by which the profile connected, a command of version 7.0.
    case verifyDomain(ContactID)
    /// Takes up a connection that was disabled.
    case enable(ContactID)
    /// Moves a prepared contact to another profile.
    case changeUser(ContactID, to: UserID)
    /// Connects a prepared contact, with a message if its link takes one.
    case connectPrepared(ContactID, incognito: Bool = false, message: MessageContent? = nil)
    /// Connects a contact that is known by its address only.
    case connectViaAddress(user: UserID, incognito: Bool = false, ContactID)
    /// Invites a group member, from whom the contact was made, to talk directly.
    case inviteMemberContact(ContactID, message: MessageContent? = nil)
    /// Accepts the invitation of a group member.
    case acceptMemberContact(ContactID)
}

extension ContactCommand {
    var commandString: String {
        switch self {
        case .list(let user?): "/_contacts \(user)"
        case .list(nil): "/contacts"
        case .info(let id): "/_info @\(id)"
        case .queueInfo(let id): "/_queue info @\(id)"
        case .setPreferences(let id, let preferences): "/_set prefs @\(id) \(CommandText.json(preferences))"
        case .setAlias(let id, let alias): "/_set alias @\(id)" + (alias.isEmpty ? "" : " \(alias)")
        case .setCustomData(let id, let data): "/_set custom @\(id)\(CommandText.json(data))"
        case .switchQueue(let id): "/_switch @\(id)"
        case .abortSwitch(let id): "/_abort switch @\(id)"
        case .syncRatchet(let id, let force): "/_sync @\(id)\(CommandText.option(" force=", force))"
        case .securityCode(let id): "/_get code @\(id)"
        case .verifyDomain(let id): "/_verify domain @\(id)"
        case .verify(let id, let code): "/_verify code @\(id)" + (code.map { " \($0)" } ?? "")
        case .enable(let id): "/_enable @\(id)"
        case .changeUser(let id, let user): "/_set contact user @\(id) \(user)"
        case .connectPrepared(let id, let incognito, let message):
            "/_connect contact @\(id)\(CommandText.incognito(incognito))\(CommandText.message(message))"
        case .connectViaAddress(let user, let incognito, let id):
            "/_connect contact \(user)\(CommandText.incognito(incognito)) \(id)"
        case .inviteMemberContact(let id, let message): "/_invite member contact @\(id)\(CommandText.message(message))"
        case .acceptMemberContact(let id): "/_accept member contact @\(id)"
        }
    }

    static let forms: [CommandForm] = [
        CommandForm("/_contacts ") { r throws(CommandMismatch) in .contacts(.list(user: try r.id())) },
        CommandForm("/contacts") { _ in .contacts(.list(user: nil)) },
        CommandForm("/_info @") { r throws(CommandMismatch) in .contacts(.info(try r.id())) },
        CommandForm("/_queue info @") { r throws(CommandMismatch) in .contacts(.queueInfo(try r.id())) },
        CommandForm("/_set prefs @") { r throws(CommandMismatch) in
            .contacts(.setPreferences(try r.idSpace(), try r.json()))
        },
        CommandForm("/_set alias @") { r throws(CommandMismatch) in
            .contacts(.setAlias(try r.id(), r.skip(" ") ? r.rest() : ""))
        },
        CommandForm("/_set custom @") { r throws(CommandMismatch) in
            .contacts(.setCustomData(try r.id(), try r.customData()))
        },
        CommandForm("/_switch @") { r throws(CommandMismatch) in .contacts(.switchQueue(try r.id())) },
        CommandForm("/_abort switch @") { r throws(CommandMismatch) in .contacts(.abortSwitch(try r.id())) },
        CommandForm("/_sync @") { r throws(CommandMismatch) in
            .contacts(.syncRatchet(try r.id(), force: r.skip(" force=on")))
        },
        CommandForm("/_get code @") { r throws(CommandMismatch) in .contacts(.securityCode(try r.id())) },
        CommandForm("/_verify domain @") { r throws(CommandMismatch) in .contacts(.verifyDomain(try r.id())) },
        CommandForm("/_verify code @") { r throws(CommandMismatch) in
            .contacts(.verify(try r.id(), code: r.securityCode()))
        },
        CommandForm("/_enable @") { r throws(CommandMismatch) in .contacts(.enable(try r.id())) },
        CommandForm("/_set contact user @") { r throws(CommandMismatch) in
            let (contact, user) = try r.pair(ContactID.self, UserID.self)
            return .contacts(.changeUser(contact, to: user))
        },
        CommandForm("/_connect contact @") { r throws(CommandMismatch) in
            let id = try r.id(ContactID.self)
            let incognito = r.incognito()
            return .contacts(.connectPrepared(id, incognito: incognito, message: r.message()))
        },
        CommandForm("/_connect contact ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            let incognito = r.incognito()
            try r.expect(" ")
            return .contacts(.connectViaAddress(user: user, incognito: incognito, try r.id()))
        },
        CommandForm("/_invite member contact @") { r throws(CommandMismatch) in
            .contacts(.inviteMemberContact(try r.id(), message: r.message()))
        },
        CommandForm("/_accept member contact @") { r throws(CommandMismatch) in
            .contacts(.acceptMemberContact(try r.id()))
        },
    ]
}

extension CommandText {
    /// ` incognito=on`, or nothing.
    static func incognito(_ value: Bool) -> String { option(" incognito=", value) }

    /// A space and a message as JSON, unless nil.
    static func message(_ content: MessageContent?) -> String { content.map { " json \(json($0))" } ?? "" }
}

extension CommandReader {
    /// ` incognito=on` or ` incognito=off`, if it comes.
    mutating func incognito() -> Bool { flag(after: " incognito=") }

    /// ` text ` and a text, or ` json ` and a message, if anything comes.
    mutating func message() -> MessageContent? {
        optional(" ") { reader throws(CommandMismatch) in
            if reader.skip("text ") { return .text(reader.rest()) }
            try reader.expect("json ")
            return try reader.json()
        }
    }

    /// A space and digits with spaces between them, if they come.
    mutating func securityCode() -> String? {
        guard skip(" ") else { return nil }
        return take { (0x30...0x39).contains($0) || $0 == 0x20 }
    }

    /// A space and a JSON object, if anything comes.
    mutating func customData() throws(CommandMismatch) -> JSONValue? {
        guard !isAtEnd else { return nil }
        try expect(" ")
        return try jsonObject()
    }
}
