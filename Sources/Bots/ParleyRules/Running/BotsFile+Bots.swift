internal import ChatAPI
internal import Foundation
public import Parley

extension BotsFile {
    /// The bots that the file describes, ready to be run.
    public func makeBots() throws -> [Bot] { try profiles.map { try $0.makeBot() } }
}

extension ProfileSpec {
    /// The bot that the profile describes: its rules are ordinary handlers.
    public func makeBot() throws -> Bot {
        let rules = try RuleSet(rules)
        let runner = RuleRunner(rules: rules, botName: name)
        let menu = rules.rules.flatMap { rule -> [MenuCommand] in
            guard let label = rule.description, let command = rule.when.commands?.first else { return [] }
            return [MenuCommand(keyword: command, label: label)]
        }
        let address: BotAddress =
            self.address.acceptsAutomatically ? .automatic(welcome: self.address.welcome) : .manual(welcome: self.address.welcome)
        var bot = Bot(name, id: id, bio: bio, address: address) {
            On.choosing(.anyMessage, menu: menu) { runner.plan($0) }
            On.choosing(.edited) { runner.plan($0) }
            On.choosing(.deleted) { runner.plan($0) }
            On.choosing(.reaction) { runner.plan($0) }
            On.choosing(.connected) { runner.plan($0) }
            On.choosing(.contactRequest) { runner.plan($0) }
        }
        bot.handlesEventsWhenMuted = handlesEventsWhenMuted
        return bot
    }
}

/// Turns the decisions of a rule set into actions.
struct RuleRunner: Sendable {
    typealias Work = @Sendable () async throws -> Void

    let rules: RuleSet
    let botName: String

    func plan(_ message: MessageContext) -> Work? {
        let input = RuleInput(event: .message, kind: message.kind, text: message.text)
        return plan(input, chat: message.chat, text: message.text) { action, text in
            switch action {
            case .reply: try await message.reply(text)
            case .react(let emoji): try await message.react(emoji)
            default: break
            }
        }
    }

    func plan(_ edit: EditContext) -> Work? {
        plan(RuleInput(event: .edited, text: edit.text), chat: edit.chat, text: edit.text) { action, text in
            switch action {
            case .reply: try await edit.reply(text)
            case .react(let emoji): try await edit.react(emoji)
            default: break
            }
        }
    }

    func plan(_ deletion: DeletionContext) -> Work? { plan(RuleInput(event: .deleted), chat: deletion.chat) }

    func plan(_ reaction: ReactionContext) -> Work? {
        guard reaction.isAdded else { return nil }
        return plan(RuleInput(event: .reaction, emoji: reaction.emoji), chat: reaction.chat, emoji: reaction.emoji) { action, text in
            switch action {
            case .reply: try await reaction.reply(text)
            case .react(let emoji): try await reaction.react(emoji)
            default: break
            }
        }
    }

    func plan(_ contact: ContactContext) -> Work? { plan(RuleInput(event: .connected), chat: contact.chat) }

    func plan(_ request: RequestContext) -> Work? {
        let decisions = rules.decide(RuleInput(event: .request))
        guard !decisions.isEmpty else { return nil }
        return {
            for action in decisions.flatMap(\.rule.then) {
                switch action {
                case .accept: try await request.accept()
                case .reject: try await request.reject()
                case .reply, .send, .react: break
                }
            }
        }
    }

    /// - Parameter answer: carries out what is about a message; without it a reply is a message of its own.
    private func plan(
        _ input: RuleInput, chat: BotChat, text: String = "", emoji: String? = nil,
        answer: (@Sendable (RuleAction, String) async throws -> Void)? = nil
    ) -> Work? {
        let decisions = rules.decide(input)
        guard !decisions.isEmpty else { return nil }
        let now = Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
        return {
            for decision in decisions {
                let values = TemplateValues(
                    botName: botName, contactName: chat.displayName, text: text, match: decision.match, command: decision.command, emoji: emoji,
                    date: String(now.prefix(10)), time: String(now.dropFirst(11).prefix(5)))
                for action in decision.rule.then {
                    switch action {
                    case .send(let template): try await chat.send(template.filled(with: values))
                    case .reply(let template):
                        let text = template.filled(with: values)
                        if let answer { try await answer(action, text) } else { try await chat.send(text) }
                    case .react: try await answer?(action, "")
                    case .accept, .reject: break
                    }
                }
            }
        }
    }
}
