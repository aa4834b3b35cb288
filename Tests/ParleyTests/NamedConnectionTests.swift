import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Bots that connect by names and links that they give.
@Suite(.timeLimit(.minutes(5))) struct NamedConnectionTests {
    private static let noResolver = ChatCoreError(
        .agent(error: .other("NO_NAME_SERVERS", ["type": "NO_NAME_SERVERS"]), agentConnectionID: "", entity: nil))
    private static let newGroup = ConnectionPlan.groupLink(plan: .ok(linkInfo: nil, linkData: nil, ownerVerification: nil))

    private func connected(_ core: ScriptedCore) -> [String] {
        core.state.withLock { $0.commands }.compactMap { if case .connections(.connectLink(_, let target)) = $0 { target } else { nil } }
    }

    @Test func whatIsNotResolvedYetIsTriedAgainAndWhatIsKnownIsLeftAlone() async throws {
        #expect(Self.noResolver.chatError?.code == "errorAgent.NO_NAME_SERVERS")
        #expect(Self.noResolver.chatError?.message.contains("role names") == true)
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try ScriptedCore.contact(4, "ann")
        core.state.withLock { state in
            state.plans["#news.simplex"] = [.failure(Self.noResolver), .failure(Self.noResolver), .success(Self.newGroup)]
            state.plans["@ann.simplex"] = [.success(.contactAddress(plan: .known(contact: ann)))]
            state.plans["https://smp.example/a#key"] = [.success(.contactAddress(plan: .ok(linkData: nil, ownerVerification: nil)))]
        }
        var bot = Bot("News") { On(.text) { _ in } }
        bot.connections = ["@ann.simplex", "#news.simplex", "https://smp.example/a#key"]
        let named = bot
        try await runner.run(named) { _, _ in
            await core.waitForCommand("/connect #news.simplex")
            await core.waitForCommand("/connect https://smp.example/a#key")
        }
        #expect(connected(core).sorted() == ["#news.simplex", "https://smp.example/a#key"])
    }

    @Test func aBotDoesNotComeBackToAGroupThatItWasRemovedFrom() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let (team, _) = try core.addGroup()
        core.state.withLock { state in
            for index in state.groups.indices where state.groups[index].groupID == team.groupID {
                state.groups[index].viaGroupLinkURI = "#team.simplex"
                state.groups[index].membership.status = .removed
            }
            state.plans["#team.simplex"] = [.success(Self.newGroup)]
            state.plans["#news.simplex"] = [.success(Self.newGroup)]
        }
        var bot = Bot("News") { On(.text) { _ in } }
        bot.connections = ["#team.simplex", "#news.simplex"]
        let named = bot
        try await runner.run(named) { _, _ in
            await core.waitForCommand("/_connect plan 1 #team.simplex")
            await core.waitForCommand("/connect #news.simplex")
        }
        #expect(connected(core) == ["#news.simplex"])
    }
}
