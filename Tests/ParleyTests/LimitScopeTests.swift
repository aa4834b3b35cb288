import ChatAPI
import ChatProtocol
import Synchronization
import Testing

@testable import Parley

/// Whose messages a limit counts together, and which messages filters let through.
@Suite(.timeLimit(.minutes(5))) struct LimitScopeTests {
    /// Says what three people say: ann to the bot, bob and eve in a group. Each answer is one of the bot's.
    private static func answers(of bot: Bot, to said: [(who: String, text: String)]) async throws -> [String] {
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann"), (group, bob) = try core.addGroup()
        var eve = bob
        eve.groupMemberID = 99
        eve.role = .owner
        core.state.withLock { [eve] in $0.members.append(eve) }
        try await runner.run(bot) { [eve] _, _ in
            for (who, text) in said {
                if who == "ann" { core.receive(text, from: ann) } else { core.receive(text, from: who == "bob" ? bob : eve, in: group) }
            }
        }
        return core.sent(to: 4) + core.sent(to: .group(7))
    }

    private static let said = ["ann", "ann", "bob", "bob", "eve", "eve"].enumerated().map { (who: $1, text: "\($1)\($0)") }

    @Test(arguments: [
        (RateLimitScope.person, ["ann0", "bob2", "eve4"]), (.chat, ["ann0", "bob2"]),
    ]) func aLimitCountsByPersonOrByChat(_ scope: RateLimitScope, _ expected: [String]) async throws {
        let bot = Bot("Limit") {
            Use(.limit(1, per: .seconds(60), by: scope))
            On(.anyMessage, in: .all) { try await $0.send($0.text) }
        }
        #expect(try await Self.answers(of: bot, to: Self.said) == expected)
    }

    @Test func aLimitOfTheBotCountsEverybody() async throws {
        let bot = Bot("Limit") {
            Use(.limit(2, per: .seconds(60), by: .bot))
            On(.anyMessage, in: .all) { try await $0.send($0.text) }
        }
        #expect(try await Self.answers(of: bot, to: Self.said).count == 2)
    }

    @Test func limitsOfTwoBlocksCountApartAndOneOfTwoHandlersTogether() async throws {
        let bot = Bot("Limit") {
            Handlers {
                Use(.limit(1, per: .seconds(60)))
                On(.text("a")) { try await $0.send("a") }
                On(.text("b")) { try await $0.send("b") }
            }
            Handlers {
                Use(.limit(1, per: .seconds(60)))
                On(.text("c")) { try await $0.send("c") }
            }
        }
        #expect(try await Self.answers(of: bot, to: ["a", "b", "c", "c"].map { ("ann", $0) }) == ["a", "c"])
    }

    @Test func whoeverIsToldOfALimitCanFailWithoutHarm() async throws {
        struct Problem: Error {}
        let told = EventLog<String>()
        let bot = Bot("Limit") {
            Use(
                .limit(1, per: .seconds(60)) { call in
                    told.add(call.message?.text ?? "")
                    throw Problem()
                })
            On(.anyMessage) { try await $0.send($0.text) }
        }
        #expect(try await Self.answers(of: bot, to: ["1", "2", "3"].map { ("ann", $0) }) == ["1"])
        #expect(told.all == ["2"])
    }

    @Test(arguments: [
        (Filter<MessageContext>.inChat("ann"), ["ann0", "ann1"]), (.inChat("team", "nobody"), ["bob2", "bob3", "eve4", "eve5"]), (.inChat(), []),
        (.fromOwner, ["eve4", "eve5"]), (.fromModerator, ["eve4", "eve5"]), (.fromRole(.member), ["bob2", "bob3"]), (.fromRole(), []),
        (!.fromRole(.member) && !.fromOwner, ["ann0", "ann1"]), (.contains("BOB"), ["bob2", "bob3"]), (.contains("4") || .contains("0"), ["ann0", "eve4"]),
        (.hasFile, []), (!.isCommand, ["ann0", "ann1", "bob2", "bob3", "eve4", "eve5"]), (.mentionsBot, []), (.quotesBot, []),
    ]) func filtersLetThrough(_ filter: Filter<MessageContext>, _ expected: [String]) async throws {
        let bot = Bot("Filter") { On(.anyMessage && filter, in: .all) { try await $0.send($0.text) } }
        #expect(try await Self.answers(of: bot, to: Self.said) == expected)
    }
}
