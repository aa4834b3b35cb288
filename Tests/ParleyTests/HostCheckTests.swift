import Testing

@testable import Hosting
@testable import Parley

/// Bots that are each fine and cannot run in one process.
@Suite struct HostCheckTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bots: [Bot]

        init(_ description: String, _ bots: Bot...) { (testDescription, self.bots) = (description, bots) }
    }

    private static func bot(_ name: String, id: String? = nil, address: BotAddress = .automatic(welcome: nil), _ change: (inout Bot) -> Void = { _ in }) -> Bot
    {
        var bot = Bot(name, id: id, address: address) {}
        change(&bot)
        return bot
    }

    private static let lobby = ManagedGroup("lobby", GroupSettings("Lobby"))
    private static func channel(_ id: String, _ relays: [ManagedChannel.Relay] = [.bot("r")]) -> ManagedChannel {
        ManagedChannel(id, GroupSettings("News"), relays: relays)
    }

    /// By what a person is told.
    private static let refused = [
        Case("two bots have the name \"Ann\": give each its own", bot("Ann"), bot("Ann", id: "ann")),
        Case("two bots have the id \"x\": give each its own", bot("Ann", id: "x"), bot("Ben", id: "x")),
        Case("two bots have the id \"Ann\": give each its own", bot("Ann"), bot("Ben", id: "Ann")),
        Case("two groups of Ann have the id \"lobby\": give each its own", bot("Ann") { $0.groups = [lobby, ManagedGroup("lobby", GroupSettings("Other"))] }),
        Case(
            "two channels of Ann have the id \"news\": give each its own",
            bot("Ann") { $0.channels = [channel("news"), channel("news", [.address("x")])] }),
        Case("the channel \"news\" has no relays: name at least one", bot("Ann") { $0.channels = [channel("news", [])] }),
        Case("two bots are relays, and a process can have one", bot("Ann") { $0.isRelay = true }, bot("Ben") { $0.isRelay = true }),
        Case("the bio of Ann has 161 bytes, more than 160: shorten it", bot("Ann") { $0.profile.bio = String(repeating: "x", count: 161) }),
        Case(
            "the summary of the group \"lobby\" has 162 bytes, more than 160: shorten it",
            bot("Ann") { $0.groups = [ManagedGroup("lobby", GroupSettings("Lobby", summary: String(repeating: "é", count: 81)))] }),
        Case(
            "the summary of the channel \"news\" has 161 bytes, more than 160: shorten it",
            bot("Ann") { $0.channels = [ManagedChannel("news", GroupSettings("News", summary: String(repeating: "x", count: 161)), relays: [.bot("r")])] }),
        Case("Ann is a relay without an address, and nobody could use it", bot("Ann", address: .none) { $0.isRelay = true }),
    ]

    @Test(arguments: refused) private func areRefusedWithTheReason(_ refused: Case) {
        let error = #expect(throws: HostError.self) { try BotHost.check(refused.bots) }
        #expect(error?.code == .handlers && error?.message == refused.testDescription)
        // A start with the same bots fails again.
        #expect(error.map { ProcessFault($0).exitCode } == 2)
    }

    @Test func whatIsOfAnotherBotCanBeCalledTheSame() throws {
        try BotHost.check([
            Self.bot("Ann", id: "Ben") { $0.groups = [Self.lobby] }, Self.bot("Ben", id: "Ann") { $0.groups = [Self.lobby] },
            Self.bot("Cat") { bot in
                bot.groups = [Self.lobby, ManagedGroup("second", GroupSettings("Lobby"))]
                bot.channels = [Self.channel("lobby")]
            },
        ])
    }

    @Test func aMistakeInAHandlerIsToldBeforeWhatTheBotsAreCalled() {
        let faulty = Bot("Ann") { On(.matches("(")) { _ in } }
        #expect(throws: HandlerFault.self) { try BotHost.check([faulty, faulty]) }
    }
}
