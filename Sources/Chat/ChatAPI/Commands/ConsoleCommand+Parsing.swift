import ChatProtocol

extension ConsoleCommand {
    static let forms: [CommandForm] =
        help + messages + reading + settings + NamedContactCommand.forms
        + NamedGroupCommand.forms + NamedMemberCommand.forms

    private static let helpSections: [(section: String, words: [String])] = [
        ("files", ["/help files", "/help file", "/hf"]), ("groups", ["/help groups", "/help group", "/hg"]),
        ("contacts", ["/help contacts", "/help contact", "/hc"]), ("myAddress", ["/help address", "/ha"]),
        ("incognito", ["/help incognito", "/hi"]), ("messages", ["/help messages", "/hm"]),
        ("remote", ["/help remote", "/hr"]), ("settings", ["/help settings", "/hs"]), ("database", ["/help db", "/hd"]),
        ("main", ["/help", "/h"]), ("markdown", ["/markdown", "/m"]),
    ]

    private static let help: [CommandForm] =
        helpSections.flatMap { section, words in words.map { CommandForm($0) { _ in .console(.help(section)) } } } + [
            CommandForm("/incognito") { r throws(CommandMismatch) in
                if !r.isAtEnd {
                    try r.expect(" ")
                    _ = try r.flag()
                }
                return .console(.help("incognito"))
            },
            CommandForm("/welcome", "/w") { _ in .console(.welcome) },
        ]

    private static let messages: [CommandForm] = [
        CommandForm("") { r throws(CommandMismatch) in try r.forward() },
        CommandForm("@#") { r throws(CommandMismatch) in
            let (group, member) = try r.memberNames()
            try r.expect(" ")
            return .console(.send(to: .member(group: group, member: member), try r.messageText()))
        },
        CommandForm("") { r throws(CommandMismatch) in
            let target = try r.consoleTarget()
            try r.expect(" ")
            return .console(.send(to: target, try r.messageText()))
        },
        CommandForm("/live ") { r throws(CommandMismatch) in
            let chat = try r.chatName()
            return .console(.sendLive(to: chat, r.skip(" ") ? try r.messageText() : ""))
        },
        CommandForm(">@", "> @") { r throws(CommandMismatch) in try r.quote(.received) },
        CommandForm(">>@", ">> @") { r throws(CommandMismatch) in try r.quote(.sent) },
        CommandForm(">#", "> #") { r throws(CommandMismatch) in
            let group = try r.displayName()
            try r.expect(" ")
            let member: String? = r.next == UInt8(ascii: "(") ? nil : try r.contactNameSpace()
            return .console(.quoteInGroup(group: group, member: member, quoted: try r.quoted(), try r.messageText()))
        },
        CommandForm("\\ ", "\\") { r throws(CommandMismatch) in
            let chat = try r.chatName()
            try r.expect(" ")
            return .console(.delete(chat, text: r.rest()))
        },
        CommandForm("\\\\ #", "\\\\#") { r throws(CommandMismatch) in
            let (group, member) = try r.memberNames()
            try r.expect(" ")
            return .console(.moderate(group: group, member: member, text: r.rest()))
        },
        CommandForm("! ", "!") { r throws(CommandMismatch) in
            let chat = try r.chatName()
            try r.expect(" ")
            let old = r.optional { r throws(CommandMismatch) in try r.quoted() } ?? ""
            return .console(.edit(chat, text: old, try r.messageText()))
        },
        CommandForm("+") { r throws(CommandMismatch) in try r.reaction(add: true) },
        CommandForm("-") { r throws(CommandMismatch) in try r.reaction(add: false) },
        CommandForm("/feed ") { r throws(CommandMismatch) in .console(.broadcast(try r.messageText())) },
        CommandForm("/file ", "/f ") { r throws(CommandMismatch) in
            .console(.sendFile(to: try r.chatNameOrContactSpace(), r.cryptoFile()))
        },
        CommandForm("/image ", "/img ") { r throws(CommandMismatch) in
            .console(.sendImage(to: try r.chatNameOrContactSpace(), r.cryptoFile()))
        },
        CommandForm("/fforward ", "/ff ") { r throws(CommandMismatch) in
            .console(.forwardFile(to: try r.chatNameOrContactSpace(), try r.id()))
        },
        CommandForm("/image_forward ", "/imgf ") { r throws(CommandMismatch) in
            .console(.forwardImage(to: try r.chatNameOrContactSpace(), try r.id()))
        },
    ]

    private static let reading: [CommandForm] = [
        CommandForm("/chats", "/cs") { r throws(CommandMismatch) in
            if r.skip(" all") { return .console(.lastChats(nil)) }
            return .console(.lastChats(r.skip(" ") ? try r.count() : 20))
        },
        CommandForm("/tail", "/t") { r throws(CommandMismatch) in
            let chat = r.spaceChatName()
            return .console(.lastMessages(chat, count: r.spaceDecimal() ?? 10, search: nil))
        },
        CommandForm("/search", "/?") { r throws(CommandMismatch) in
            let chat = r.spaceChatName()
            let count = r.spaceDecimal() ?? 10
            try r.expect(" ")
            return .console(.lastMessages(chat, count: count, search: r.rest()))
        },
        CommandForm("/last_item_id") { r throws(CommandMismatch) in
            let chat = r.spaceChatName()
            return .console(.lastItemID(chat, r.spaceDecimal() ?? 0))
        },
        CommandForm("/show ") { r throws(CommandMismatch) in
            if let flag = r.optional({ r throws(CommandMismatch) in try r.flag() }) { return .console(.showLiveItems(flag)) }
            return .console(.showItem(try r.id()))
        },
        CommandForm("/show") { _ in .console(.showLiveItems(true)) },
        CommandForm("/item info ") { r throws(CommandMismatch) in
            let chat = try r.chatName()
            try r.expect(" ")
            return .console(.itemInfo(chat, text: try r.messageText()))
        },
    ]

    private static let settings: [CommandForm] = [
        CommandForm("/mute ") { r throws(CommandMismatch) in .console(.setNotifications(try r.chatName(), .none)) },
        CommandForm("/unmute mentions ") { r throws(CommandMismatch) in
            .console(.setNotifications(try r.chatName(), .mentions))
        },
        CommandForm("/unmute ") { r throws(CommandMismatch) in .console(.setNotifications(try r.chatName(), .all)) },
        CommandForm("/receipts ") { r throws(CommandMismatch) in
            let chat = try r.chatName()
            try r.expect(" ")
            if r.skip("default") { return .console(.setReceipts(chat, nil)) }
            return .console(.setReceipts(chat, try r.flag()))
        },
        CommandForm("/ttl ") { r throws(CommandMismatch) in
            let chat = try r.chatName()
            guard r.skip(" ") else { return .console(.messageTTL(chat)) }
            if r.skip("default") { return .console(.setMessageTTL(chat, seconds: nil)) }
            return .console(.setMessageTTL(chat, seconds: try r.itemTTL()))
        },
        CommandForm("/clear *") { _ in .console(.clearNotes) },
        // Before the command that makes a group, which would be called "allow".
        CommandForm("/public group access #") { r throws(CommandMismatch) in
            .console(.group(try r.displayName(), .setPublicAccess(PublicGroupAccess(console: &r))))
        },
        CommandForm("/group allow #") { r throws(CommandMismatch) in .console(.group(try r.displayName(), .allowRelay)) },
        CommandForm("/group", "/g") { r throws(CommandMismatch) in
            let incognito = r.consoleIncognito()
            try r.expect(" ")
            _ = r.skip("#")
            let (name, description) = try r.nameAndDescription()
            return .console(.newGroup(incognito: incognito, name: name, description: description))
        },
        CommandForm("/groups", "/gs") { r throws(CommandMismatch) in
            let contact = r.optional(" @") { r throws(CommandMismatch) in try r.displayName() }
            return .console(.groups(contact: contact, search: r.skip(" ") ? r.rest() : nil))
        },
    ]
}
