import ChatProtocol

/// Commands about the address of a profile, and requests that come by it.
public enum AddressCommand: Sendable, Hashable {
    /// Makes the address.
    case create(user: UserID?)
    /// Deletes the address; contacts stay.
    case delete(user: UserID?)
    /// Tells the address.
    case show(user: UserID?)
    /// Adds a short link to an address that has none.
    case addShortLink(user: UserID)
    /// Puts the address into the public profile, or takes it out.
    case setInProfile(user: UserID?, Bool)
    /// Sets how requests are treated.
    case setSettings(user: UserID?, AddressSettings)
    /// Accepts a request.
    case accept(UserContactRequestID, incognito: Bool = false)
    /// Refuses a request.
    case reject(UserContactRequestID)
}

extension AddressCommand {
    var commandString: String {
        switch self {
        case .create(let user): CommandText.user("address", user)
        case .delete(let user): CommandText.user("delete_address", user)
        case .show(let user): CommandText.user("show_address", user)
        case .addShortLink(let user): "/_short_link_address \(user)"
        case .setInProfile(let user, let on): "\(CommandText.user("profile_address", user)) \(CommandText.flag(on))"
        case .setSettings(let user?, let settings): "/_address_settings \(user) \(CommandText.json(settings))"
        case .setSettings(nil, let settings): "/auto_accept \(settings.consoleWords)"
        case .accept(let id, let incognito): "/_accept\(CommandText.incognito(incognito)) \(id)"
        case .reject(let id): "/_reject \(id)"
        }
    }

    static let forms: [CommandForm] = [
        CommandForm("/_address ") { r throws(CommandMismatch) in .address(.create(user: try r.id())) },
        CommandForm("/address", "/ad") { _ in .address(.create(user: nil)) },
        CommandForm("/_delete_address ") { r throws(CommandMismatch) in .address(.delete(user: try r.id())) },
        CommandForm("/delete_address", "/da") { _ in .address(.delete(user: nil)) },
        CommandForm("/_show_address ") { r throws(CommandMismatch) in .address(.show(user: try r.id())) },
        CommandForm("/show_address", "/sa") { _ in .address(.show(user: nil)) },
        CommandForm("/_short_link_address ") { r throws(CommandMismatch) in
            .address(.addShortLink(user: try r.id()))
        },
        CommandForm("/_profile_address ") { r throws(CommandMismatch) in
            .address(.setInProfile(user: try r.idSpace(), try r.flag()))
        },
        CommandForm("/profile_address ", "/pa ") { r throws(CommandMismatch) in
            .address(.setInProfile(user: nil, try r.flag()))
        },
        CommandForm("/_address_settings ") { r throws(CommandMismatch) in
            .address(.setSettings(user: try r.idSpace(), try r.json()))
        },
        CommandForm("/auto_accept ") { r throws(CommandMismatch) in
            .address(.setSettings(user: nil, try r.addressSettings()))
        },
        CommandForm("/_accept") { r throws(CommandMismatch) in
            let incognito = r.incognito()
            try r.expect(" ")
            return .address(.accept(try r.id(), incognito: incognito))
        },
        CommandForm("/_reject ") { r throws(CommandMismatch) in .address(.reject(try r.id())) },
    ]
}

extension AddressSettings {
    /// The settings as people write them.
    fileprivate var consoleWords: String {
        guard let autoAccept else { return "off" }
        let how = isBusinessAddress ? " business" : CommandText.incognito(autoAccept.acceptIncognito)
        return "on\(how)\(CommandText.message(autoReply))"
    }
}

extension CommandReader {
    /// `off`, `on`, `on incognito=on` or `on business`, the last three perhaps with a reply.
    fileprivate mutating func addressSettings() throws(CommandMismatch) -> AddressSettings {
        guard try flag() else { return AddressSettings(isBusinessAddress: false) }
        let isBusiness = skip(" business")
        let autoAccept = AutoAccept(acceptIncognito: isBusiness ? false : incognito())
        return AddressSettings(isBusinessAddress: isBusiness, autoAccept: autoAccept, autoReply: message())
    }
}
