internal import ChatAPI
internal import ChatProtocol
internal import Parley

/// The parts of an event that actions need. Actions on missing parts fail.
struct RuleSubject: Sendable {
    let client: BotClient
    let chat: BotChat
    /// The person who wrote or acted.
    let person: PersonID
    /// The author, or the member that the event is about.
    var member: BotMember?
    var reply: (@Sendable (MentioningText) async throws -> Void)?
    var replyFile: (@Sendable (OutgoingFile) async throws -> Void)?
    var save: (@Sendable (FileSources) async throws -> Void)?
    var react: (@Sendable (String) async throws -> Void)?
    var moderate: (@Sendable () async throws -> Void)?
    var forward: (@Sendable (ChatReference, _ through: BotClient?) async throws -> Void)?
    var accept: (@Sendable () async throws -> Void)?
    var reject: (@Sendable () async throws -> Void)?
    var begin: (@Sendable (FormState, String) async throws -> Void)?

    init(_ context: some ChatContext, member: BotMember? = nil) {
        client = context.client
        chat = context.chat
        person = context.person
        self.member = member
    }

    /// The member whom moderating actions are about; the person for events without one.
    var target: PersonID { member.map { .member($0.id, of: $0.group.id) } ?? person }

    /// The names under which rules remember something of the event.
    var scopes: MemoryScopes {
        MemoryScopes(person: person.description, target: target.description, chat: chat.reference.map { "\($0)" } ?? "")
    }

    /// The stored state of a name of ``scopes``.
    func state(_ scope: String) -> StateScope {
        if scope == MemoryScopes.bot { return .bot }
        if scope == person.description { return .person(person) }
        if scope == target.description { return .person(target) }
        return chat.reference.map { .chat($0) } ?? .bot
    }
}

extension RuleSubject {
    init(_ message: MessageContext) {
        self.init(message, member: message.member)
        reply = { try await message.reply(mentioning: $0) }
        replyFile = { try await message.reply($0) }
        save = { try await message.file(from: $0) }
        react = { try await message.react($0) }
        moderate = { try await message.moderate() }
        forward = { target, other in
            if let other { try await message.forward(to: target, through: other) } else { try await message.forward(to: target) }
        }
        // Members who were admitted meanwhile write there too.
        accept = { if let member = message.member, member.isPending { try await member.accept() } }
        reject = { if let member = message.member, member.isPending { try await member.reject() } }
        begin = { try await message.begin($0, $1) }
    }

    init(_ edit: EditContext) {
        self.init(edit, member: edit.member)
        reply = { try await edit.reply(mentioning: $0) }
        react = { try await edit.react($0) }
        moderate = { try await edit.moderate() }
    }

    init(_ reaction: ReactionContext) {
        self.init(reaction, member: reaction.member)
        reply = { try await reaction.reply(mentioning: $0) }
        react = { try await reaction.react($0) }
    }

    init(_ member: MemberContext) {
        self.init(member, member: member.member)
        accept = { try await member.member.accept() }
        reject = { try await member.member.reject() }
    }

    init(_ report: ReportContext) {
        self.init(report, member: report.reportedMember)
        reply = { try await report.reply(mentioning: $0) }
        moderate = { try await report.moderate() }
    }

    init(_ invitation: InvitationContext) {
        self.init(invitation, member: nil)
        accept = { try await invitation.join() }
    }

    init(_ relay: RelayContext) { self.init(relay, member: nil) }

    init(_ delivery: DeliveryContext) { self.init(delivery, member: nil) }

    init(_ file: FileContext) {
        self.init(file, member: file.member)
        reply = { try await file.reply(mentioning: $0) }
        replyFile = { try await file.reply($0) }
        react = { try await file.react($0) }
        forward = { target, other in
            if let other { try await file.forward(to: target, through: other) } else { try await file.forward(to: target) }
        }
    }

    init(_ failure: FileFailureContext) { self.init(failure, member: failure.member) }

    init(_ contact: ContactContext) {
        self.init(contact, member: nil)
        begin = { try await contact.begin($0, $1) }
    }
}
