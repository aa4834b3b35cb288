import AsyncPrimitives
import ChatAPI
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// The relays of a profile, which a core takes as a whole list.
@Suite(.timeLimit(.minutes(5))) struct RelayListTests {
    @Test func relaysThatAreAddedAtOnceAreAllKept() async throws {
        let runner = try BotSessionRunner(), core = runner.core, gate = Gate()
        _ = try core.addGroup()
        try await runner.run(Bot("Owner") {}) { profiles, _ in
            let client = try #require(profiles.first).client, channel = try #require(await client.groups.group(7))
            let changes = try #require(client.effects.services).relayChanges
            core.hold.withLock { $0 = { command in if case .servers(.relays) = command { await gate.wait() } } }
            try await withThrowingTaskGroup(of: Void.self) { calls in
                for address in ["a", "b", "c"] { calls.addTask { try await channel.addRelay(address) } }
                try await eventually("one reads the list, and the others wait") { changes.waiterCount(1) == 2 }
                gate.open()
                try await calls.waitForAll()
            }
        }
        let relays = core.state.withLock(\.relays)
        #expect(relays.map(\.address).sorted() == ["a", "b", "c"] && Set(relays.map(\.relayProfile.displayName)).count == 3)
        #expect(core.groupCommands.filter { $0.hasPrefix("/_add relays") }.sorted() == (1...3).map { "/_add relays #7 \($0)" })
    }
}
