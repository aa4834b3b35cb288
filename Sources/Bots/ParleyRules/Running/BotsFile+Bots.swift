public import Logging
public import Parley

extension BotsFile {
    /// The bots that the file describes, ready to be run.
    ///
    /// - Parameter logger: the log of rules in audit mode.
    public func makeBots(logger: Logger = Logger(label: "parley.rules")) throws -> [Bot] {
        try profiles.map { try $0.makeBot(lists: lists, logger: logger) }
    }
}

extension ProfileSpec {
    /// The bot that the profile describes: its rules are ordinary handlers.
    ///
    /// - Parameters:
    ///   - lists: the lists of the file.
    ///   - logger: the log of rules in audit mode.
    public func makeBot(lists: [String: ListSpec] = [:], logger: Logger = Logger(label: "parley.rules")) throws -> Bot {
        let rules = try RuleSet(rules, lists: lists)
        var logger = logger
        logger[metadataKey: "bot"] = "\(id)"
        let runner = RuleRunner(rules: rules, botName: name, logger: logger)
        func menu(_ kind: ChatKinds) -> [MenuCommand] {
            rules.rules.compactMap { rule in
                guard let label = rule.description, let command = rule.when.commands?.first, rule.when.members.kinds.contains(kind) else { return nil }
                return MenuCommand(keyword: command, label: label)
            }
        }
        let welcome = self.address.welcome
        let address: BotAddress =
            self.address.isBusiness ? .business(welcome: welcome) : self.address.acceptsAutomatically ? .automatic(welcome: welcome) : .manual(welcome: welcome)
        var bot = Bot(name, id: id, bio: bio, address: address) {
            On.choosing(.anyMessage, in: .contacts, menu: menu(.contacts)) { runner.plan($0) }
            On.choosing(.anyMessage, in: .groups, menu: menu(.groups)) { runner.plan($0) }
            On.choosing(.anyMessage, in: [.supportChats, .businessChats]) { runner.plan($0) }
            On.choosing(.edited, in: .all) { runner.plan($0) }
            On.choosing(.deleted, in: .all) { runner.plan($0) }
            On.choosing(.reaction, in: .all) { runner.plan($0) }
            On.choosing(.memberChanged) { runner.plan($0) }
            On.choosing(.report) { runner.plan($0) }
            On.choosing(.groupInvitation) { runner.plan($0) }
            On.choosing(.connected) { runner.plan($0) }
            On.choosing(.contactRequest) { runner.plan($0) }
        }
        bot.groups = groups
        bot.channels = channels
        bot.isRelay = isRelay
        bot.handlesEventsWhenMuted = handlesEventsWhenMuted
        return bot
    }
}
