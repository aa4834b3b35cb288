internal import ChatAPI
public import Logging
public import Parley

extension BotsFile {
    /// The bots that the file describes, ready to be run. ``RunningRules`` are bots whose rules can be replaced while they run.
    ///
    /// - Parameter logger: the log of rules.
    public func makeBots(logger: Logger = Logger(label: "parley.rules")) throws -> [Bot] {
        try RunningRules(self, logger: logger).bots
    }
}

extension ProfileSpec {
    /// The bot that the profile describes: its rules are ordinary handlers.
    ///
    /// - Parameters:
    ///   - lists: the lists of the file.
    ///   - logger: the log of rules.
    public func makeBot(lists: [String: ListSpec] = [:], logger: Logger = Logger(label: "parley.rules")) throws -> Bot {
        let rules = try compiled(lists: lists)
        return bot(logger: logger, menuOf: rules.rules, webhooks: WebClientTransport()) { rules }
    }

    /// The rules, ready to be run.
    func compiled(lists: [String: ListSpec]) throws -> ProfileRules { ProfileRules(name: name, rules: try RuleSet(rules, lists: lists), forms: forms) }

    /// True if some rule is about the delivery of the bot's messages.
    var isAboutDeliveries: Bool { rules.contains { $0.when.event.isAboutDelivery } }
    /// True if some rule is about the end of transfers of files.
    var isAboutTransfers: Bool { rules.contains { $0.when.event.isAboutTransfer } }

    /// - Parameter current: the rules as they are at the time of an event.
    func bot(logger: Logger, menuOf rules: RuleSet, webhooks transport: any WebhookTransport, current: @escaping @Sendable () -> ProfileRules) -> Bot {
        var logger = logger
        logger[metadataKey: "bot"] = "\(id)"
        let runner = RuleRunner(logger: logger, current: current), forms = FormRunner(current: current, logger: logger)
        let webhooks = WebhookSender(transport: transport, logger: logger) { current().webhooks }
        let welcome = self.address.welcome
        let address: BotAddress =
            self.address.isBusiness ? .business(welcome: welcome) : self.address.acceptsAutomatically ? .automatic(welcome: welcome) : .manual(welcome: welcome)
        let schedules = schedules.map { ScheduleRunner(spec: $0, botName: name, logger: logger) }
        var bot = Bot(name, id: id, bio: bio, address: address) {
            On.choosing(.dialogue(FormState.self), in: .all) { forms.plan($0) }
            On.choosing(.anyMessage, in: .contacts, menu: rules.menu(.contacts)) { runner.plan($0) }
            // The rules themselves leave out other bots, unless they moderate or ask for them.
            On.choosing(.anyMessage, in: .groups, menu: rules.menu(.groups)) { runner.plan($0) }.includingBots()
            On.choosing(.anyMessage, in: [.supportChats, .businessChats]) { runner.plan($0) }.includingBots()
            On.choosing(.live, in: .all) { runner.plan(live: $0) }.includingBots()
            On.choosing(.edited, in: .all) { runner.plan($0) }.includingBots()
            On.choosing(.deleted, in: .all) { runner.plan($0) }
            On.choosing(.reaction, in: .all) { runner.plan($0) }
            On.choosing(.memberChanged) { runner.plan($0) }
            On.choosing(.relayChanged) { runner.plan($0) }
            On.choosing(.report) { runner.plan($0) }
            On.choosing(.groupInvitation) { runner.plan($0) }
            On.choosing(.connected) { runner.plan($0) }
            On.choosing(.contactRequest) { runner.plan($0) }
            // A bot with such handlers gets an event for each message that it sends.
            if isAboutDeliveries {
                On.choosing(.delivery, in: .all) { runner.plan($0) }
            }
            if isAboutTransfers {
                On.choosing(.fileReceived, in: .all) { runner.plan($0) }
                On.choosing(.fileFailed, in: .all) { runner.plan($0) }
            }
            On(.scheduled(CaseTimer.end, Int.self)) { tick in
                guard let group = tick.chat?.group else { return }
                _ = try await CaseUndo(client: tick.client, group: group).undo(tick.value, by: "expiry")
            }
            On(.scheduled(WebhookSender.timer, String.self)) { _ in webhooks.wake() }
            On(.scheduled(CaptchaTimer.name, CaptchaTimeout.self)) { try await CaptchaTimer.end($0) }
            for schedule in schedules { schedule.handlers }
            if let plugin { plugin.handlers() }
        }
        if let picture {
            do throws(BotFileError) {
                bot.profile.image = try BotProfile.picture(from: picture)
            } catch {
                logger.error("the picture of a profile cannot be used", metadata: ["code": "\(error.code.rawValue)", "error": "\(error.message)"])
            }
        }
        bot.trustedContacts = trustedContacts
        bot.fileReception = fileReception
        if let pace { bot.pace = pace }
        bot.texts = texts
        bot.groups = groups
        bot.channels = channels
        bot.isRelay = isRelay
        bot.handlesEventsWhenMuted = handlesEventsWhenMuted
        // Rules can be replaced by others that moderate while the bot runs.
        bot.checksQuotes = true
        bot.retention = retention
        bot.connections = connections
        bot.background.append { await webhooks.run($0) }
        bot.undoCase = { client, group, number in
            let (said, isUndone) = try await CaseUndo(client: client, group: group).attempt(number, by: "operator")
            guard isUndone else { throw ChatCoreError(.init(rawValue: "moderation.notUndone"), said) }
            return said
        }
        return bot
    }
}

extension RuleSet {
    /// The commands that the apps show in chats of a kind.
    func menu(_ kind: ChatKinds) -> [MenuCommand] {
        rules.compactMap { rule in
            guard let label = rule.description, let command = rule.when.commands?.first, rule.when.members.kinds.contains(kind) else { return nil }
            return MenuCommand(keyword: command, label: label)
        }
    }
}
