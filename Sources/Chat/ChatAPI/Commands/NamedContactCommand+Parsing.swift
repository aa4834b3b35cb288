import ChatProtocol

extension NamedContactCommand {
    static let forms: [CommandForm] = [
        .contact("/info ", "/i ") { _ in .info },
        .contact("/queue info ", "/qi ") { _ in .queueInfo },
        .contact("/switch ") { _ in .switchQueue },
        .contact("/abort switch ") { _ in .abortSwitch },
        .contact("/sync ") { r in .syncRatchet(force: r.skip(" force=on")) },
        .contact("/code ") { _ in .securityCode },
        .contact("/verify ") { r in .verify(code: r.securityCode()) },
        .contact("/enable ") { _ in .enable },
        .contact("/delete ", "/d ") { r in .delete(r.chatDeleteMode()) },
        .contact("/clear ") { _ in .clear },
        .contact("/reject ", "/rc ") { _ in .reject },
        .contact("/call ") { _ in .call },
        CommandForm("/accept", "/ac") { r throws(CommandMismatch) in
            let incognito = r.consoleIncognito()
            try r.expect(" ")
            return .console(.contact(try r.contactName(), .accept(incognito: incognito)))
        },
        CommandForm("/accept_member_contact @") { r throws(CommandMismatch) in
            .console(.contact(try r.displayName(), .acceptMemberContact))
        },
        .feature(.voice), .feature(.files), .feature(.calls), .feature(.fullDelete),
        .contact("/set disappear @") { r throws(CommandMismatch) in
            guard r.skip(" ") else { return .setTimedMessages(nil) }
            return .setTimedMessages(try r.timedMessages())
        },
    ]
}

extension CommandForm {
    /// A command about the contact of a name.
    fileprivate static func contact(
        _ beginnings: String...,
        read: @escaping @Sendable (inout CommandReader) throws(CommandMismatch) -> NamedContactCommand
    ) -> CommandForm {
        CommandForm(beginnings) { r throws(CommandMismatch) in
            let name = try r.contactName()
            return .console(.contact(name, try read(&r)))
        }
    }

    /// Sets the preferences for a contact.
    fileprivate static func feature(_ feature: ChatFeature) -> CommandForm {
        .contact("/set \(feature.consoleName) @") { r throws(CommandMismatch) in
            .setFeature(feature, r.skip(" ") ? try r.featureAllowed() : nil)
        }
    }
}

extension CommandReader {
    fileprivate mutating func timedMessages() throws(CommandMismatch) -> TimedMessagesSetting {
        if skip("no") { return .disable }
        if skip("yes"), !skip(" ") { return .enableKeepingTTL }
        return .enable(seconds: try disappearingTTL())
    }
}
