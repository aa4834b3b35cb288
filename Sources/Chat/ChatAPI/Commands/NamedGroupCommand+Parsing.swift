import ChatProtocol

extension NamedGroupCommand {
    static let forms: [CommandForm] = [
        .group("/info #", "/i #") { _ in .info },
        .group("/members ", "/ms ") { _ in .members },
        .group("/member support chats #") { _ in .supportChats },
        .group("/join ", "/j ") { r in .join(mute: r.skip(" mute")) },
        .group("/leave ", "/l ") { _ in .leave },
        .group("/delete #", "/d #") { _ in .delete },
        .group("/clear #") { _ in .clear },
        .group("/group_profile ", "/gp ") { r throws(CommandMismatch) in
            guard r.skip(" ") else { return .profile }
            let (name, description) = try r.nameAndDescription()
            return .rename(name: name, description: description)
        },
        .group("/group_descr ") { r throws(CommandMismatch) in .setWelcome(r.skip(" ") ? try r.messageText() : nil) },
        .group("/set welcome ") { r throws(CommandMismatch) in
            try r.expect(" ")
            return .setWelcome(try r.messageText())
        },
        .group("/delete welcome ") { _ in .setWelcome(nil) },
        .group("/show welcome ") { _ in .welcome },
        .group("/create link #") { r throws(CommandMismatch) in .createLink(r.isAtEnd ? .member : try r.spaceRole()) },
        .group("/set link role #") { r throws(CommandMismatch) in .setLinkRole(try r.spaceRole()) },
        .group("/delete link #") { _ in .deleteLink },
        .group("/show link #") { _ in .link },
        .group("/remove ", "/rm ") { r throws(CommandMismatch) in
            try r.expect(" ")
            var members = [try r.contactName()]
            while r.skip(",") { members.append(try r.contactName()) }
            return .remove(members, withMessages: r.flag(after: " messages="))
        },
        .feature(.voice, hasRole: true), .feature(.files, hasRole: true), .feature(.fullDelete, hasRole: true),
        .feature(.directMessages, hasRole: true), .feature(.simplexLinks, hasRole: true), .feature(.history),
        .feature(.reactions), .feature(.reports), .feature(.support),
        .group("/set disappear #") { r throws(CommandMismatch) in
            try r.expect(" ")
            if r.skip("off") { return .setTimedMessages(seconds: nil) }
            _ = r.skip("on ")
            return .setTimedMessages(seconds: try r.disappearingTTL())
        },
        .group("/set admission review #") { r throws(CommandMismatch) in
            try r.expect(" ")
            if r.skip("all") { return .setAdmissionReview(.all) }
            try r.expect("off")
            return .setAdmissionReview(nil)
        },
        .group("/report #") { r throws(CommandMismatch) in
            let member = r.optional(" @") { r throws(CommandMismatch) in try r.displayName() }
            try r.expect(" ")
            let reason = r.reportReason()
            try r.expect(" ")
            return .report(member: member, reason: reason, text: try r.messageText())
        },
        .group("/share chat #") { r throws(CommandMismatch) in
            try r.expect(" ")
            return .share(to: try r.chatName())
        },
    ]
}

extension CommandForm {
    /// A command about the group of a name.
    fileprivate static func group(
        _ beginnings: String...,
        read: @escaping @Sendable (inout CommandReader) throws(CommandMismatch) -> NamedGroupCommand
    ) -> CommandForm {
        CommandForm(beginnings) { r throws(CommandMismatch) in
            _ = r.skip("#")
            let name = try r.displayName()
            return .console(.group(name, try read(&r)))
        }
    }

    /// Turns a feature of a group on or off.
    fileprivate static func feature(_ feature: GroupFeature, hasRole: Bool = false) -> CommandForm {
        .group("/set \(feature.consoleName) #") { r throws(CommandMismatch) in
            try r.expect(" ")
            let enable: GroupFeatureEnabled = try r.flag() ? .on : .off
            return .setFeature(feature, enable, role: hasRole && !r.isAtEnd ? try r.spaceRole() : nil)
        }
    }
}
