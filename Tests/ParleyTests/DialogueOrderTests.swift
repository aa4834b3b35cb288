import ChatAPI
import Foundation
import Testing

@testable import Parley

/// Which of several changes of a dialogue counts that are stored at once: in memory, where triggers look, the one that was stored last.
@Suite(.timeLimit(.minutes(5))) struct DialogueOrderTests {
    private static let scopes = (1...40).map { "@\($0)" }

    /// Each dialogue is changed by many tasks, every third of which ends it.
    @Test(arguments: [false, true]) func theDialogueThatIsOpenIsTheOneThatIsStored(isForgotten: Bool) async throws {
        let runner = try BotSessionRunner()
        try await runner.run(Bot("Asker") {}) { profiles, _ in
            let effects = try #require(profiles.first).client.effects
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (scope, number) in Self.scopes.flatMap({ scope in (1...24).map { (scope, $0) } }) {
                    let record = DialogueRecord(name: "Order", state: Data("\(number)".utf8), expires: nil)
                    tasks.addTask {
                        if isForgotten, number % 3 == 0 { return try await effects.forget(scope) }
                        try await effects.setDialogue(number % 3 == 0 ? nil : record, named: record.name, of: scope, in: nil)
                    }
                }
                try await tasks.waitForAll()
            }
            let stored = try await runner.store.dialogues(of: 1)
            for scope in Self.scopes { #expect(effects.dialogue(of: scope)?.state == stored[scope]?.state, "\(scope)") }
        }
    }
}
