import ChatAPI
import Foundation
import Logging
import ParleyRules
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Actions of forms, schedules and broadcasts that fail: they are counted and logged as those of rules.
@Suite(.timeLimit(.minutes(5))) struct ActionFailureTests {
    private static func bot(_ text: String, logger: Logger) throws -> Bot {
        try #require(try BotsFile(parsing: "parley: 1\nprofiles:\n  shop:\n    trusted-contacts: Kitchen\n" + text).makeBots(logger: logger).first)
    }

    @Test func aFormThatCannotTellIsCountedAndListed() async throws {
        let records = RecordedLog(), runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann")
        let bot = try Self.bot(
            """
                rules: [ { when: { command: order }, then: { form: order } } ]
                forms:
                  order: { questions: [ { name: what, ask: What? } ], done: [ { send: thank you }, { tell: { chat: Kitchen, text: "{{ form.what }}" } } ] }
            """, logger: records.logger)
        try await runner.run(bot) { profiles, session in
            core.receive("/order", from: ann)
            await core.waitForSent(1, to: 4)
            core.receive("soup", from: ann)
            await core.waitForSent(2, to: 4)
            try await eventually("it is counted") { runner.monitor.metrics(of: profiles[0].id).counts.failed == 1 }
        }
        #expect(core.sent(to: 4) == ["What?", "thank you"])
        #expect(runner.monitor.failures.map { "\($0.code) \($0.place)" } == ["rules.action form order: tell"])
        let record = try #require(records.all.first { $0.message.contains("an action of a form failed") })
        #expect(record.metadata["code"] == "rules.action" && record.metadata["form"] == "order" && record.metadata["action"] == "tell")
        #expect(!"\(record)".contains("soup"))
    }

    @Test func aScheduleWithoutItsChatIsCountedAndListed() async throws {
        let records = RecordedLog(), runner = try BotSessionRunner()
        let bot = try Self.bot("    schedules: [ { id: tip, every: 1h, to: Kitchen, send: Drink water. } ]\n", logger: records.logger)
        try await runner.run(bot) { profiles, session in
            await session.settleTimers()
            try await eventually("it is counted") { runner.monitor.metrics(of: profiles[0].id).counts.failed == 1 }
        }
        #expect(runner.monitor.failures.map { "\($0.code) \($0.place)" } == ["rules.schedule schedule tip: send"])
        let record = try #require(records.all.first { $0.message.contains("an action of a schedule failed") })
        #expect(record.metadata["code"] == "rules.schedule" && record.metadata["schedule"] == "tip" && record.metadata["chat"] == "Kitchen")
    }

    @Test func aChatThatGetsNoBroadcastIsCounted() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        try core.add(contact: 1, name: "ann")
        try await runner.run(Bot("News") {}) { profiles, _ in
            let client = profiles[0].client
            core.state.withLock { $0.failures = [ChatCoreError(.unsupported, "no")] }
            try await client.broadcast("news", to: [.direct(1), .direct(9)], onceAs: "monday")
            try await eventually("it is finished") { try await client.broadcastProgress("monday")?.isFinished == true }
            #expect(runner.monitor.metrics(of: profiles[0].id).counts.failed == 2)
        }
        #expect(Set(runner.monitor.failures.map { "\($0.code) \($0.place)" }) == ["core.unsupported broadcast", "broadcast.noChat broadcast"])
    }
}
