import TestSupport
import Testing

@testable import ChatSocket

@Suite struct CommandLanesTests {
    private typealias Lanes = CommandLanes<Int>

    @Test func commandsOfOneChatRunOneAfterAnother() {
        var lanes = Lanes()
        #expect(lanes.add(1, to: .chat("@1")).map(\.command) == [1])
        #expect(lanes.add(2, to: .chat("@1")).isEmpty)
        #expect(lanes.add(3, to: .chat("@1")).isEmpty)
        #expect(lanes.end(.chat("@1")).map(\.command) == [2])
        #expect(lanes.end(.chat("@1")).map(\.command) == [3])
        #expect(lanes.end(.chat("@1")).isEmpty)
        #expect(lanes.count == 0)
    }

    @Test func differentChatsRunSideBySide() {
        var lanes = Lanes()
        #expect(lanes.add(1, to: .chat("@1")).map(\.command) == [1])
        #expect(lanes.add(2, to: .chat("@1")).isEmpty)
        #expect(lanes.add(3, to: .chat("@2")).map(\.command) == [3])
        #expect(lanes.end(.chat("@2")).isEmpty)
        #expect(lanes.end(.chat("@1")).map(\.command) == [2])
    }

    @Test func anyOtherCommandWaitsForAllBeforeItAndHoldsBackAllAfterIt() {
        var lanes = Lanes()
        #expect(lanes.add(1, to: .chat("@1")).map(\.command) == [1])
        #expect(lanes.add(2, to: .chat("@2")).map(\.command) == [2])
        #expect(lanes.add(3, to: .exclusive).isEmpty)
        #expect(lanes.add(4, to: .chat("@3")).isEmpty)
        #expect(lanes.add(5, to: .chat("@4")).isEmpty)
        #expect(lanes.end(.chat("@1")).isEmpty)
        #expect(lanes.end(.chat("@2")).map(\.command) == [3])
        #expect(lanes.end(.exclusive).map(\.command) == [4, 5])
    }

    @Test func commandsThatWaitForTheirChatJoinTheOneThatRuns() {
        var lanes = Lanes()
        _ = lanes.add(1, to: .chat("@1"))
        for command in 2...5 { _ = lanes.add(command, to: .chat("@1")) }
        _ = lanes.add(6, to: .chat("@2"))
        _ = lanes.add(7, to: .exclusive)
        _ = lanes.add(8, to: .chat("@1"))
        #expect(lanes.join(.chat("@2"), limit: 9).isEmpty)
        #expect(lanes.join(.chat("@3"), limit: 9).isEmpty)
        #expect(lanes.join(.chat("@1"), limit: 3) == [2, 3, 4])
        #expect(lanes.count == 8)
        // What waits behind the barrier does not join, and the barrier waits for all that does.
        #expect(lanes.end(.chat("@2")).isEmpty)
        #expect(lanes.end(.chat("@1"), joined: 3).map(\.command) == [5])
        #expect(lanes.join(.chat("@1"), limit: 3).isEmpty)
        #expect(lanes.end(.chat("@1")).map(\.command) == [7])
        #expect(lanes.join(.exclusive, limit: 3).isEmpty)
        #expect(lanes.end(.exclusive).map(\.command) == [8])
        #expect(lanes.end(.chat("@1")).isEmpty)
        #expect(lanes.count == 0)
    }

    /// Any order of commands and ends: what runs is what the rule says of all that has come.
    @Test(arguments: UInt64(1)...40) func whatRunsFollowsFromTheOrderOfAllCommands(seed: UInt64) {
        var random = SplitMix64(seed: seed), lanes = Lanes(), next = 0
        var model: [(lane: Lanes.Lane, command: Int, runs: Bool)] = []
        for _ in 0..<400 {
            let running = model.filter(\.runs), started: [Lanes.Entry]
            if Bool.random(using: &random) || running.isEmpty {
                let choice = Int.random(in: 0..<5, using: &random), lane: Lanes.Lane = choice == 0 ? .exclusive : .chat("@\(choice)")
                model.append((lane, next, false))
                started = lanes.add(next, to: lane)
                next += 1
            } else {
                let ended = running[Int.random(in: running.indices, using: &random)]
                model.removeAll { $0.command == ended.command }
                started = lanes.end(ended.lane)
            }
            var expected: [Int] = []
            for index in model.indices where !model[index].runs {
                let before = model[..<index], entry = model[index]
                let waits = before.contains { $0.lane == .exclusive || entry.lane == .exclusive || $0.lane == entry.lane }
                if !waits { expected.append(entry.command) }
            }
            for index in model.indices where expected.contains(model[index].command) { model[index].runs = true }
            #expect(started.map(\.command) == expected)
            #expect(lanes.count == model.count)
        }
    }
}
