import TestSupport
import Testing

@testable import ChatSocket

@Suite struct CommandQueuesTests {
    private typealias Queues = CommandQueues<Int>

    @Test func commandsOfOneChatRunOneAfterAnother() {
        var queues = Queues()
        #expect(queues.add(1, to: .chat("@1")).map(\.command) == [1])
        #expect(queues.add(2, to: .chat("@1")).isEmpty)
        #expect(queues.add(3, to: .chat("@1")).isEmpty)
        #expect(queues.end(.chat("@1")).map(\.command) == [2])
        #expect(queues.end(.chat("@1")).map(\.command) == [3])
        #expect(queues.end(.chat("@1")).isEmpty)
        #expect(queues.count == 0)
    }

    @Test func differentChatsRunSideBySide() {
        var queues = Queues()
        #expect(queues.add(1, to: .chat("@1")).map(\.command) == [1])
        #expect(queues.add(2, to: .chat("@1")).isEmpty)
        #expect(queues.add(3, to: .chat("@2")).map(\.command) == [3])
        #expect(queues.end(.chat("@2")).isEmpty)
        #expect(queues.end(.chat("@1")).map(\.command) == [2])
    }

    @Test func anyOtherCommandWaitsForAllBeforeItAndHoldsBackAllAfterIt() {
        var queues = Queues()
        #expect(queues.add(1, to: .chat("@1")).map(\.command) == [1])
        #expect(queues.add(2, to: .chat("@2")).map(\.command) == [2])
        #expect(queues.add(3, to: .exclusive).isEmpty)
        #expect(queues.add(4, to: .chat("@3")).isEmpty)
        #expect(queues.add(5, to: .chat("@4")).isEmpty)
        #expect(queues.end(.chat("@1")).isEmpty)
        #expect(queues.end(.chat("@2")).map(\.command) == [3])
        #expect(queues.end(.exclusive).map(\.command) == [4, 5])
    }

    @Test func commandsThatWaitForTheirChatJoinTheOneThatRuns() {
        var queues = Queues()
        _ = queues.add(1, to: .chat("@1"))
        for command in 2...5 { _ = queues.add(command, to: .chat("@1")) }
        _ = queues.add(6, to: .chat("@2"))
        _ = queues.add(7, to: .exclusive)
        _ = queues.add(8, to: .chat("@1"))
        #expect(queues.join(.chat("@2"), limit: 9).isEmpty)
        #expect(queues.join(.chat("@3"), limit: 9).isEmpty)
        #expect(queues.join(.chat("@1"), limit: 3) == [2, 3, 4])
        #expect(queues.count == 8)
        // What waits behind the barrier does not join, and the barrier waits for all that does.
        #expect(queues.end(.chat("@2")).isEmpty)
        #expect(queues.end(.chat("@1"), joined: 3).map(\.command) == [5])
        #expect(queues.join(.chat("@1"), limit: 3).isEmpty)
        #expect(queues.end(.chat("@1")).map(\.command) == [7])
        #expect(queues.join(.exclusive, limit: 3).isEmpty)
        #expect(queues.end(.exclusive).map(\.command) == [8])
        #expect(queues.end(.chat("@1")).isEmpty)
        #expect(queues.count == 0)
    }

    /// Any order of commands and ends: what runs is what the rule says of all that has come.
    @Test(arguments: UInt64(1)...40) func whatRunsFollowsFromTheOrderOfAllCommands(seed: UInt64) {
        var random = SplitMix64(seed: seed), queues = Queues(), next = 0
        var model: [(key: Queues.Key, command: Int, runs: Bool)] = []
        for _ in 0..<400 {
            let running = model.filter(\.runs), started: [Queues.Entry]
            if Bool.random(using: &random) || running.isEmpty {
                let choice = Int.random(in: 0..<5, using: &random), key: Queues.Key = choice == 0 ? .exclusive : .chat("@\(choice)")
                model.append((key, next, false))
                started = queues.add(next, to: key)
                next += 1
            } else {
                let ended = running[Int.random(in: running.indices, using: &random)]
                model.removeAll { $0.command == ended.command }
                started = queues.end(ended.key)
            }
            var expected: [Int] = []
            for index in model.indices where !model[index].runs {
                let before = model[..<index], entry = model[index]
                let waits = before.contains { $0.key == .exclusive || entry.key == .exclusive || $0.key == entry.key }
                if !waits { expected.append(entry.command) }
            }
            for index in model.indices where expected.contains(model[index].command) { model[index].runs = true }
            #expect(started.map(\.command) == expected)
            #expect(queues.count == model.count)
        }
    }
}
