import ChatProtocol

extension ConsoleCommand {
    var commandString: String {
        switch self {
        case .help("main"): "/help"
        case .help("myAddress"): "/help address"
        case .help("database"): "/help db"
        case .help("markdown"): "/markdown"
        case .help(let section): "/help \(section)"
        case .welcome: "/welcome"
        case .send(let target, let text): "\(target.words) \(CommandText.console(text))"
        case .sendLive(let chat, let text): "/live \(chat.words) \(CommandText.console(text))"
        case .quote(let contact, let direction, let quoted, let text):
            "\(direction == .sent ? ">>" : ">")@\(CommandText.name(contact)) (\(quoted)) \(CommandText.console(text))"
        case .quoteInGroup(let group, let member, let quoted, let text):
            ">#\(CommandText.name(group)) \(member.map { "@\(CommandText.name($0)) " } ?? "")(\(quoted)) "
                + CommandText.console(text)
        case .edit(let chat, let old, let new): "! \(chat.words) (\(old)) \(CommandText.console(new))"
        case .delete(let chat, let text): "\\ \(chat.words) \(text)"
        case .moderate(let group, let member, let text):
            "\\\\ #\(CommandText.name(group)) @\(CommandText.name(member)) \(text)"
        case .react(let chat, let add, let reaction, let text):
            "\(add ? "+" : "-")\(reaction.consoleSign) \(chat.words) \(text)"
        case .forward(let target, let source, let member, let text):
            "\(target.words) <- \(source.words) \(member.map { "@\(CommandText.name($0)) " } ?? "")\(CommandText.console(text))"
        case .broadcast(let text): "/feed \(CommandText.console(text))"
        case .lastChats(let count): "/chats \(count.map { String($0) } ?? "all")"
        case .lastMessages(let chat, let count, nil): "/tail\(chat.spaceWords) \(count)"
        case .lastMessages(let chat, let count, let search?): "/search\(chat.spaceWords) \(count) \(search)"
        case .lastItemID(let chat, let index): "/last_item_id\(chat.spaceWords) \(index)"
        case .showItem(let id?): "/show \(id)"
        case .showItem(nil): "/show"
        case .showLiveItems(let on): "/show \(CommandText.flag(on))"
        case .itemInfo(let chat, let text): "/item info \(chat.words) \(CommandText.console(text))"
        case .contact(let name, let command): command.commandString("@\(CommandText.name(name))", name: name)
        case .group(let name, let command): command.commandString("#\(CommandText.name(name))")
        case .member(let group, let member, let command):
            command.commandString("#\(CommandText.name(group)) @\(CommandText.name(member))")
        case .setNotifications(let chat, .none): "/mute \(chat.words)"
        case .setNotifications(let chat, .mentions): "/unmute mentions \(chat.words)"
        case .setNotifications(let chat, _): "/unmute \(chat.words)"
        case .setReceipts(let chat, let on): "/receipts \(chat.words) \(on.map(CommandText.flag) ?? "default")"
        case .setMessageTTL(let chat, let seconds): "/ttl \(chat.words) \(seconds.map(ItemTTL.word) ?? "default")"
        case .messageTTL(let chat): "/ttl \(chat.words)"
        case .clearNotes: "/clear *"
        case .newGroup(let incognito, let name, let description):
            "/group\(incognito ? " incognito" : "") #\(CommandText.name(name))\(description.map { " \($0)" } ?? "")"
        case .groups(let contact, let search):
            "/groups" + (contact.map { " @\(CommandText.name($0))" } ?? "") + (search.map { " \($0)" } ?? "")
        case .sendFile(let chat, let file): "/file \(chat.words) \(file.words)"
        case .sendImage(let chat, let file): "/image \(chat.words) \(file.words)"
        case .forwardFile(let chat, let file): "/fforward \(chat.words) \(file)"
        case .forwardImage(let chat, let file): "/image_forward \(chat.words) \(file)"
        }
    }
}

extension NamedContactCommand {
    fileprivate func commandString(_ contact: String, name: String) -> String {
        switch self {
        case .info: "/info \(contact)"
        case .queueInfo: "/queue info \(contact)"
        case .switchQueue: "/switch \(contact)"
        case .abortSwitch: "/abort switch \(contact)"
        case .syncRatchet(let force): "/sync \(contact)\(CommandText.option(" force=", force))"
        case .securityCode: "/code \(contact)"
        case .verify(let code): "/verify \(contact)\(code.map { " \($0)" } ?? "")"
        case .enable: "/enable \(contact)"
        case .delete(let mode): "/delete \(contact) \(mode)"
        case .clear: "/clear \(contact)"
        case .accept(let incognito): "/accept\(incognito ? " incognito" : "") \(contact)"
        case .reject: "/reject \(contact)"
        case .acceptMemberContact: "/accept_member_contact \(contact)"
        case .setFeature(let feature, let allowed):
            "/set \(feature.consoleName) \(contact)\(allowed.map { " \($0.code)" } ?? "")"
        case .setTimedMessages(nil): "/set disappear \(contact)"
        case .setTimedMessages(.enable(let seconds)): "/set disappear \(contact) yes \(seconds)"
        case .setTimedMessages(.enableKeepingTTL): "/set disappear \(contact) yes"
        case .setTimedMessages(.disable): "/set disappear \(contact) no"
        case .call: "/call \(contact)"
        }
    }
}

extension NamedGroupCommand {
    fileprivate func commandString(_ group: String) -> String {
        switch self {
        case .info: "/info \(group)"
        case .members: "/members \(group)"
        case .supportChats: "/member support chats \(group)"
        case .join(let mute): "/join \(group)\(mute ? " mute" : "")"
        case .leave: "/leave \(group)"
        case .allowRelay: "/group allow \(group)"
        case .setPublicAccess(let access): "/public group access \(group)\(access.words)"
        case .delete: "/delete \(group)"
        case .clear: "/clear \(group)"
        case .profile: "/group_profile \(group)"
        case .rename(let name, let text): "/group_profile \(group) \(CommandText.name(name))\(text.map { " \($0)" } ?? "")"
        case .setWelcome(let text?): "/set welcome \(group) \(CommandText.console(text))"
        case .setWelcome(nil): "/delete welcome \(group)"
        case .welcome: "/show welcome \(group)"
        case .createLink(let role): "/create link \(group) \(role.code)"
        case .setLinkRole(let role): "/set link role \(group) \(role.code)"
        case .deleteLink: "/delete link \(group)"
        case .link: "/show link \(group)"
        case .remove(let members, let withMessages):
            "/remove \(group) \(members.map { "@\(CommandText.name($0))" }.joined(separator: ","))"
                + CommandText.option(" messages=", withMessages)
        case .setFeature(let feature, let enable, let role):
            "/set \(feature.consoleName) \(group) \(enable.code)\(role.map { " \($0.code)" } ?? "")"
        case .setTimedMessages(let seconds): "/set disappear \(group) \(seconds.map { "on \($0)" } ?? "off")"
        case .setAdmissionReview(let criteria): "/set admission review \(group) \(criteria?.code ?? "off")"
        case .report(let member, let reason, let text):
            "/report \(group)\(member.map { " @\(CommandText.name($0))" } ?? "") \(reason.code) \(CommandText.console(text))"
        case .share(let chat): "/share chat \(group) \(chat.words)"
        }
    }
}

extension NamedMemberCommand {
    fileprivate func commandString(_ member: String) -> String {
        switch self {
        case .add(let role): "/add \(member) \(role.code)"
        case .accept(let role): "/accept member \(member) \(role.code)"
        case .setRole(let role): "/member role \(member) \(role.code)"
        case .blockForAll(let blocked): "/\(blocked ? "block" : "unblock") for all \(member)"
        case .showMessages(let show): "/\(show ? "unblock" : "block") \(member)"
        case .info: "/info \(member)"
        case .queueInfo: "/queue info \(member)"
        case .switchQueue: "/switch \(member)"
        case .abortSwitch: "/abort switch \(member)"
        case .syncRatchet(let force): "/sync \(member)\(CommandText.option(" force=", force))"
        case .securityCode: "/code \(member)"
        case .verify(let code): "/verify \(member)\(code.map { " \($0)" } ?? "")"
        case .enable: "/enable \(member)"
        }
    }
}

extension ConsoleTarget {
    fileprivate var words: String {
        switch self {
        case .contact(let name): "@\(CommandText.name(name))"
        case .group(let name): "#\(CommandText.name(name))"
        case .support(let group, let member):
            "#\(CommandText.name(group)) (support\(member.map { ": \(CommandText.name($0))" } ?? ""))"
        case .member(let group, let member): "@#\(CommandText.name(group)) @\(CommandText.name(member))"
        case .notes: "/*"
        }
    }
}

extension ChatName {
    /// `@name`, `#name`, `:name` or `*`.
    var words: String { chatType == .local ? "*" : "\(chatType.sign)\(CommandText.name(name))" }
}

extension Optional where Wrapped == ChatName {
    fileprivate var spaceWords: String { map { " \($0.words)" } ?? "" }
}

extension MessageReaction {
    /// The character that stands for the reaction at a console.
    fileprivate var consoleSign: String {
        switch self {
        case .emoji(let emoji): emoji.text
        case .unknown: "?"
        }
    }
}

extension GroupFeature {
    /// The name of the feature at a console.
    var consoleName: String {
        switch self {
        case .fullDelete: "delete"
        case .directMessages: "direct"
        case .simplexLinks: "links"
        case .timedMessages: "disappear"
        default: code
        }
    }
}

extension CommandText {
    /// A text that may have several lines: as JSON if it would be read otherwise than it is.
    ///
    /// Behind the name of a chat, `(support)`, `<- @name` and `@name` belong to the command, so a text does not begin like one of them.
    static func console(_ text: String) -> String {
        guard let last = text.utf8.last, !CommandReader.isSpace(last), let first = text.utf8.first(where: { !CommandReader.isSpace($0) }),
            !"(<@".utf8.contains(first)
        else { return json(text) }
        var reader = CommandReader(bytes: Array(text.utf8))
        return (try? reader.messageText()) == text ? text : json(text)
    }
}
