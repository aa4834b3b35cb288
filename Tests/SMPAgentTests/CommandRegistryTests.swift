import SMPClient
import SMPWire
import Testing

@testable import SMPAgent

/// Stored commands run in order and once, however the reading of those that are left meets their ends.
@Suite struct CommandRegistryTests {
    private static let connection = ConnectionID([1]), other = ConnectionID([2])

    private func command(_ row: Int64) -> CommandRecord { CommandRecord(row: row, connection: 1, kind: .deleteQueue(queue: 7)) }

    @Test func oneCommandOfAConnectionRunsAtATimeInOrder() {
        let registry = CommandRegistry()
        #expect(registry.add(command(1), Self.connection))
        #expect(!registry.add(command(2), Self.connection), "whoever runs the first goes on with it")
        #expect(registry.add(command(3), Self.other))
        for row in [1, 2] as [Int64] {
            #expect(registry.next(Self.connection)?.row == row)
            #expect(!registry.ended(command(row), isDone: true))
        }
        #expect(registry.next(Self.connection) == nil)
        #expect(registry.add(command(4), Self.connection), "the next one is run by whoever brings it")
    }

    @Test func aCommandThatIsDoneWhileTheStoredOnesAreReadIsNotRunAgain() throws {
        let registry = CommandRegistry()
        #expect(registry.add(command(1), Self.connection))
        _ = registry.next(Self.connection)
        registry.beginReading()
        #expect(!registry.ended(command(1), isDone: true))
        #expect(registry.next(Self.connection) == nil)
        #expect(!registry.add(command(1), Self.connection) && registry.next(Self.connection) == nil)
        registry.endReading()
        #expect(registry.add(command(2), Self.connection))
    }

    @Test func aCommandThatTheStopEndedRunsAgainWhetherItIsReadBeforeOrAfterThat() {
        let registry = CommandRegistry()
        #expect(registry.add(command(1), Self.connection))
        _ = registry.next(Self.connection)
        registry.beginReading()
        #expect(!registry.add(command(1), Self.connection), "it has not ended yet")
        registry.endReading()
        #expect(registry.ended(command(1), isDone: false), "it was to go on before it ended")
        #expect(!registry.ended(command(1), isDone: false), "it was stopped again")
        #expect(registry.next(Self.connection) == nil)
        registry.beginReading()
        #expect(registry.add(command(1), Self.connection))
        registry.endReading()
        #expect(registry.next(Self.connection)?.row == 1)
    }

    @Test func aCommandThatIsDoneIsNotRepeatedBecauseItWasReadBefore() {
        let registry = CommandRegistry()
        #expect(registry.add(command(1), Self.connection))
        _ = registry.next(Self.connection)
        registry.beginReading()
        #expect(!registry.add(command(1), Self.connection))
        registry.endReading()
        #expect(!registry.ended(command(1), isDone: true))
        #expect(registry.next(Self.connection) == nil)
    }

    @Test func theCommandsOfADeletedConnectionThatHaveNotBegunAreForgotten() {
        let registry = CommandRegistry()
        for row in [1, 2, 3] as [Int64] { _ = registry.add(command(row), Self.connection) }
        _ = registry.next(Self.connection)
        registry.forget(Self.connection)
        #expect(!registry.ended(command(1), isDone: true) && registry.next(Self.connection) == nil)
    }
}
