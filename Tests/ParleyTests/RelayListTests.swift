import AsyncPrimitives
import ChatAPI
import ChatModel
import ChatProtocol
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
            let changes = client.effects.locks.relays
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

    @Test func aRelayThatAHandlerAddsIsKeptBesideThoseOfADeclaredChannel() async throws {
        let runner = try BotSessionRunner(), core = runner.core, model = ChatModel(core: core), time = BotTime(clock: runner.clock), gate = Gate()
        let (group, _) = try core.addGroup { group in
            group.groupProfile.publicGroup = PublicGroupProfile(
                groupType: .channel, groupLink: "https://simplex.chat/c#team", publicGroupID: Base64URLBytes([9]))
            group.membership.status = .connected
        }
        core.state.withLock { $0.users = [ScriptedCore.user(1, Profile(displayName: "Owner"))] }
        var declared = Bot("Owner", id: "owner") {}
        declared.channels = [ManagedChannel("team", GroupSettings("team"), relays: [.address("a")])]
        let bot = declared, identity = BotIdentity(id: "owner", name: "Owner", userID: 1)
        let provisioner = Provisioner(
            model: model, store: runner.store, time: time, timers: TimerDispatcher(store: runner.store, time: time, logger: runner.logger),
            directory: BotDirectory(), logger: runner.logger)
        let channel = BotGroup(bot: identity, info: group, effects: Effects(model: model, userID: 1, event: nil, locks: provisioner.locks))
        core.hold.withLock { $0 = { command in if case .servers(.relays) = command { await gate.wait() } } }
        try await withThrowingTaskGroup(of: Void.self) { calls in
            calls.addTask { _ = try await provisioner.channels(of: bot, identity: identity, addresses: [:]) }
            calls.addTask { try await channel.addRelay("b") }
            try await eventually("one reads the list, and the other waits") { provisioner.locks.relays.waiterCount(1) == 1 }
            gate.open()
            try await calls.waitForAll()
        }
        #expect(core.state.withLock(\.relays).map(\.address).sorted() == ["a", "b"])
    }
}
