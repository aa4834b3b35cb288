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
}
