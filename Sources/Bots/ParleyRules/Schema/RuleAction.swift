package import ChatProtocol
public import Parley

/// An action of a rule.
public enum RuleAction: Sendable {
    /// Answers the message with a quote of it; without a message it sends.
    case reply(Template)
    /// Sends a message into the chat.
    case send(Template)
    /// Sends a file into the chat; with `quotes`, as an answer to the message.
    case sendFile(RuleFile, quotes: Bool)
    /// Receives the file of the message.
    case save(FileSources)
    /// Posts a text in the name of a channel of the profile.
    case post(channel: String, Template)
    /// Adds a reaction to the message.
    case react(String)
    /// Accepts the contact request or the invitation, or admits the member.
    case accept
    /// Refuses the contact request, or the member who waits.
    case reject
    /// Deletes the message, or the one that was reported, for everybody.
    case moderate
    /// Blocks the member for all, for some seconds or for good.
    case block(limit: Double?)
    /// Removes the member.
    case remove(withMessages: Bool)
    /// Gives the member another role, for some seconds or for good.
    case role(MemberRole, limit: Double?)
    /// Gives the member points; rules about warnings follow.
    case warn(WarnSpec)
    /// Takes all points of the member back.
    case forgive
    /// Takes the action of a case back: that of the number behind the command, or the newest.
    case undo
    /// Shows the newest cases of the group.
    case cases
    /// Asks a member who waits a question, and admits or refuses by the answer.
    case captcha(CaptchaSpec)
    /// Begins a form with the writer.
    case form(String)
    /// Sends a message into another chat, by its name.
    case tell(chat: String, Template)
    /// Sends a message to many, in the background.
    case broadcast(BroadcastSpec)
    /// Cancels the broadcasts that are under way.
    case cancelBroadcast
    /// Forwards the message into the chat of a name, of the profile or of another one.
    case forward(to: String, through: String?)
    /// Tells an address of the web of the event.
    case webhook(WebhookSpec)
    /// An action that is written in Swift.
    case custom(CustomEffect)

    /// A role that a rule gives.
    public struct MemberRole: Sendable, Hashable {
        package let role: GroupMemberRole
    }

    /// The reactions that the official apps show and send.
    static let emoji = ["👍", "👎", "😀", "😂", "😢", "❤", "🚀", "✅"]
    /// The routers from which files are received.
    static let sources: KeyValuePairs<String, FileSources> = ["own": .own, "any": .any]

    /// The key of the action in the file.
    public var word: String {
        switch self {
        case .reply, .sendFile(_, quotes: true): "reply"
        case .send, .sendFile: "send"
        case .save: "save"
        case .post: "post"
        case .react: "react"
        case .accept: "accept"
        case .reject: "reject"
        case .moderate: "moderate"
        case .block: "block"
        case .remove: "remove"
        case .role: "role"
        case .forward: "forward"
        case .warn: "warn"
        case .forgive: "forgive"
        case .undo: "undo"
        case .cases: "cases"
        case .captcha: "captcha"
        case .form: "form"
        case .tell: "tell"
        case .broadcast: "broadcast"
        case .cancelBroadcast: "cancel-broadcast"
        case .webhook: "webhook"
        case .custom(let effect): effect.name
        }
    }

    /// True if it acts against a message or a member.
    public var isModerating: Bool {
        switch self {
        case .moderate, .block, .remove, .role, .warn: true
        case .custom(let effect): effect.isModerating
        default: false
        }
    }

    /// - Parameter condition: nil when it could not be read; then only the shape is checked.
    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.action)
        let names = reader.sink.extensions.extended(Schemas.action).names
        let present = names.filter { mapping.value($0) != nil }
        guard present.count == 1, let key = present.first, let value = mapping.value(key) else {
            if present.count > 1 {
                reader.report(.badValue, "one action, not \(present.joined(separator: " and "))", hint: "make a list: put \"- \" before each")
            } else if mapping.keys.isEmpty {
                reader.report(.missingKey, "no action", hint: "expected one of: " + names.joined(separator: ", "))
            }
            return nil
        }
        guard let action = Self.action(key, value, in: condition), let condition else { return nil }
        if let need = action.need(in: condition) {
            reader.report(.badValue, "\"\(key)\" does not go with \"\(condition.event.rawValue)\": \(need.reason)", hint: need.hint)
            return nil
        }
        self = action
    }

    private static func action(_ key: String, _ value: NodeReader, in condition: RuleCondition?) -> RuleAction? {
        if let custom = value.sink.extensions.action(key) { return custom.read(value, condition).map(RuleAction.custom) }
        return switch key {
        case "reply", "send": message(value, quotes: key == "reply", in: condition)
        case "post": post(value, in: condition)
        case "save": value.word(of: sources).map(RuleAction.save)
        case "react": reaction(value).map(RuleAction.react)
        case "accept": affirmed(value) ? .accept : nil
        case "reject": affirmed(value) ? .reject : nil
        case "moderate": affirmed(value) ? .moderate : nil
        case "block": block(value)
        case "remove": value.text == "with-messages" ? .remove(withMessages: true) : affirmed(value) ? .remove(withMessages: false) : nil
        case "role": role(value)
        case "warn": WarnSpec(value).map(RuleAction.warn)
        case "forgive": affirmed(value) ? .forgive : nil
        case "undo": affirmed(value) ? .undo : nil
        case "cases": affirmed(value) ? .cases : nil
        case "captcha": CaptchaSpec(value).map(RuleAction.captcha)
        case "form": value.name(of: .form).map(RuleAction.form)
        case "tell": tell(value, .rule(condition))
        case "broadcast": BroadcastSpec(value, .rule(condition)).map(RuleAction.broadcast)
        case "cancel-broadcast": affirmed(value) ? .cancelBroadcast : nil
        case "webhook": WebhookSpec(value).map(RuleAction.webhook)
        default: forward(value)
        }
    }

    /// The reason why the action is not possible after an event, and what to do; nil if it is possible.
    private func need(in condition: RuleCondition) -> (reason: String, hint: String?)? {
        let event = condition.event
        switch self {
        case .reply, .send, .sendFile:
            if case .sendFile = self, event == .fileFailed { return ("that file may fail, too, and the rule would not end", "send a text") }
            if event.isAboutDelivery { return Self.endless }
            if event == .relay { return Self.unserved }
            return event == .request ? ("a message can be sent once the contact has connected", nil) : nil
        case .post:
            if event.isAboutDelivery { return Self.endless }
            if event == .relay { return Self.unserved }
            return event == .request ? ("nobody has written", nil) : nil
        case .webhook: return event == .request ? ("nobody has written", nil) : nil
        case .tell: return nil
        case .react: return event.hasMessage ? nil : ("there is no message to react to", nil)
        case .accept:
            if event == .request || event == .invitation || condition.isAboutWaiting { return nil }
            return ("there is nothing to accept", "it goes with \"request\", \"invitation\", \"member: pending\" and messages with \"chat: support\"")
        case .reject:
            return event == .request || condition.isAboutWaiting
                ? nil : ("there is no request to answer", "it goes with \"request\", \"member: pending\" and messages with \"chat: support\"")
        case .moderate:
            guard [.message, .edited, .report, .warned].contains(event) else { return ("there is no message to delete", nil) }
            return condition.groupNeed
        case .save: return event == .message ? nil : ("there is no file to save", nil)
        case .forward: return event == .message || event == .fileReceived ? nil : ("there is no message to forward", nil)
        case .block, .remove, .role, .warn, .forgive:
            if event == .warned, case .warn = self { return ("a warning about a warning would not end", "give more points at once") }
            guard [.message, .edited, .report, .member, .warned].contains(event) else { return ("it is about no member of a group", nil) }
            let gone: Set<MembershipEvent> = [.left, .removed]
            if let changes = condition.members.changes, !changes.isDisjoint(with: gone) { return ("the member is not in the group any more", nil) }
            return condition.groupNeed
        case .undo, .cases:
            guard event == .message, condition.commands != nil else { return ("it answers a command", "add \"command\" to \"when\"") }
            let moderators: Set<GroupMemberRole> = [.moderator, .admin, .owner]
            guard let roles = condition.members.roles, !roles.isEmpty, roles.isSubset(of: moderators) else {
                return ("everybody could use it", "add to \"when\": role: [moderator, admin, owner]")
            }
            return nil
        case .broadcast, .cancelBroadcast:
            return event == .message
                ? condition.broadcastNeed : ("nobody has written", "it goes with messages; a schedule with \"to: contacts\" sends at times")
        case .captcha:
            return condition.members.changes == [.pending] ? nil : ("nobody waits to be admitted", "it goes with \"member: pending\"")
        case .custom(let effect): return effect.need(in: event)
        case .form:
            return event == .message || event == .connected ? nil : ("nobody has written", "it goes with messages and \"connected\"")
        }
    }

    /// The objection to a message that would bring the event of its rule about.
    private static let endless: (reason: String, hint: String?) = (
        "what is sent would be delivered, too, and the rule would not end", "use \"tell\": messages into that chat do not count"
    )

    /// The objection to a message into a channel that may have no relay.
    private static let unserved: (reason: String, hint: String?) = (
        "the channel may have no relay, and subscribers are not meant", "use \"tell\" or \"webhook\""
    )

    /// A text, or a file with a caption.
    private static func message(_ value: NodeReader, quotes: Bool, in condition: RuleCondition?) -> RuleAction? {
        if value.keys?.contains(where: Schemas.sendFile.names.contains) == true {
            return value.mapping().flatMap { RuleFile($0, .rule(condition)) }.map { .sendFile($0, quotes: quotes) }
        }
        return Template(value, in: condition).map(quotes ? RuleAction.reply : RuleAction.send)
    }

    /// The name of a chat, or that of another profile's.
    private static func forward(_ reader: NodeReader) -> RuleAction? {
        guard reader.keys != nil else { return reader.name(of: .chat).map { .forward(to: $0, through: nil) } }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.forward)
        let other = mapping.value("through")?.name(of: .profile)
        let target = mapping.required("to", hint: "write the name of a chat")
        guard let other else { return target?.name(of: .chat).map { .forward(to: $0, through: nil) } }
        // A chat of another profile is declared there.
        guard let target, let name = target.nonEmptyString() else { return nil }
        target.sink.note(.chatElsewhere, name, at: target.position, of: other)
        return .forward(to: name, through: other)
    }

    private static func post(_ reader: NodeReader, in condition: RuleCondition?) -> RuleAction? {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.post)
        let channel = mapping.required("channel", hint: "write the name of a channel of the profile")?.name(of: .channel)
        let text = mapping.required("text", hint: "write what is posted").flatMap { Template($0, in: condition) }
        guard let channel, let text else { return nil }
        return .post(channel: channel, text)
    }

    /// The text, and the chat that it is sent into.
    static func tell(_ reader: NodeReader, _ scope: TemplateScope) -> RuleAction? {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.tell)
        let chat = mapping.required("chat", hint: "write the name of a trusted contact, or of a group or channel of the profile")?.name(of: .chat)
        let text = mapping.required("text", hint: "write what is sent").flatMap { Template($0, scope) }
        guard let chat, let text else { return nil }
        return .tell(chat: chat, text)
    }

    /// Reads an action at the end of a form.
    init?(formAction reader: NodeReader, _ scope: TemplateScope) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.formAction)
        guard mapping.keys.count == 1 else {
            reader.report(.badValue, "one action", hint: "make a list: put \"- \" before each")
            return nil
        }
        let action: RuleAction? =
            if let text = mapping.value("send") {
                Template(text, scope).map(RuleAction.send)
            } else if let message = mapping.value("broadcast") {
                BroadcastSpec(message, scope).map(RuleAction.broadcast)
            } else {
                mapping.value("tell").flatMap { Self.tell($0, scope) }
            }
        guard let action else { return nil }
        self = action
    }

    private static func reaction(_ reader: NodeReader) -> String? {
        guard let text = reader.nonEmptyString() else { return nil }
        // The heart is often typed with a variation selector that the network's reaction does not have.
        let plain = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FE0F}" }))
        if emoji.contains(plain) { return plain }
        reader.report(.badValue, "\"\(text.cut)\" is not a reaction", hint: "expected one of: " + emoji.joined(separator: " "))
        return nil
    }

    static func affirmed(_ reader: NodeReader) -> Bool {
        switch reader.bool() {
        case true?: return true
        case false?:
            reader.report(.badValue, "leave the action out instead of saying false")
            return false
        case nil: return false
        }
    }
}

extension RuleCondition {
    /// True if the rule can be about a member who waits to be admitted: such a member writes to moderators only.
    fileprivate var isAboutWaiting: Bool { members.changes == [.pending] || event == .message && members.kinds == .supportChats }

    /// The objection to an action on members in a rule that applies in chats with contacts too.
    fileprivate var groupNeed: (reason: String, hint: String?)? {
        guard event != .member, event != .report, event != .warned, members.kinds.contains(.contacts) else { return nil }
        return ("the rule is for chats with contacts", "add \"chat: group\" to \"when\"")
    }
}
