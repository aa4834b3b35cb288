import Foundation
import SystemSupport
import Testing

@testable import Parley

/// The store of what handlers are not given because processes died of it.
@Suite struct QuarantineLimitTests {
    private let store: BotStateStore

    init() throws { store = try BotStateStore(path: nil, logger: HostSessionTests.logger) }

    private static func event(_ number: Int) -> HandlerEventName { HandlerEventName(.message, Int64(number), in: "@4", of: 1) }

    /// Sets things aside: three processes crash on them.
    private func quarantine(_ numbers: some Sequence<Int>) async throws {
        let keys = try numbers.map { try #require(Self.event($0).key) }
        for _ in 1...3 { _ = try await store.count(died: keys, by: .crash, at: Date(timeIntervalSince1970: 1_000)) }
    }

    private func known() async throws -> [Int] { try await store.quarantined().map { Int($0.event.reference) } }

    @Test func theOldestMakeRoomForNewOnesAtTheLimit() async throws {
        try await quarantine([0])
        try await quarantine(1..<BotStateStore.quarantineLimit)
        #expect(try await known().count == BotStateStore.quarantineLimit)
        #expect(try await known().first == 0)
        try await quarantine([5_000])
        var known = try await known()
        #expect(known.count == BotStateStore.quarantineLimit && !known.contains(0) && known.last == 5_000)
        try await quarantine(6_000..<6_010)
        known = try await self.known()
        #expect(known.count == BotStateStore.quarantineLimit && known.contains(5_000))
        #expect(Set(known.suffix(10)) == Set(6_000..<6_010))
    }

    @Test func whatIsTriedOnceMoreAndDiedOfIsSetAsideAgain() async throws {
        try await quarantine([1])
        let id = try #require(try await store.quarantined().first).id
        #expect(try await store.retryQuarantined(id))
        #expect(try await store.quarantined().map(\.isToBeRetried) == [true])
        #expect(try await store.count(died: [], by: .kill, at: Date()).suspects.isEmpty, "it runs as if no process had died of it")
        // It takes as many processes as the first time, and nobody has asked for another attempt then.
        try await quarantine([1])
        #expect(try await store.quarantined().map(\.isToBeRetried) == [false])
        #expect(try await store.quarantined().map(\.event) == [Self.event(1)])
    }

    /// Ends of processes, and whether what they worked on is set aside then.
    @Test(
        arguments: [
            ([.crash, .crash], false), ([.crash, .crash, .crash], true), (Array(repeating: .kill, count: 8), false),
            (Array(repeating: .kill, count: 9), true), ([.crash, .kill, .crash, .kill, .kill], true), ([.crash, .kill, .crash, .kill], false),
        ] as [([ProcessEnd], Bool)])
    func aCrashCountsAsThreeKills(_ ends: [ProcessEnd], _ isSetAside: Bool) async throws {
        let key = try #require(Self.event(1).key), other = try #require(Self.event(2).key)
        var new: [HandlerEventName] = []
        for end in ends { new += try await store.count(died: [key, key], by: end, at: Date()).new }
        #expect(new == (isSetAside ? [Self.event(1)] : []))
        let suspects = try await store.count(died: [], by: .crash, at: Date()).suspects
        #expect(suspects.isQuarantined(key) == isSetAside && suspects.isSuspect(key) != isSetAside)
        #expect(!suspects.isSuspect(other) && !suspects.isQuarantined(other))
        store.forgetSuspect(key)
        #expect(try await store.quarantined().isEmpty, "what was handled after all is no suspect")
        #expect(try await store.count(died: [], by: .kill, at: Date()).suspects.isEmpty)
    }

    @Test func whatIsNotThereIsNeitherTriedAgainNorForgotten() async throws {
        try await quarantine([1])
        let id = try #require(try await store.quarantined().first).id
        for unknown in [0, -1, id + 1, Int64.max, Int64.min] {
            #expect(try await !store.retryQuarantined(unknown))
            #expect(try await !store.dropQuarantined(unknown))
        }
        #expect(try await known() == [1])
        #expect(try await store.dropQuarantined(id))
        #expect(try await !store.dropQuarantined(id))
        #expect(try await known().isEmpty)
    }

    /// Names as another version, or a damaged file, could hold them.
    @Test(arguments: [[0], [1], [9], Array(repeating: 1, count: 16), [0] + Array(repeating: 1, count: 16), Array(repeating: 255, count: 63)] as [[UInt8]])
    func aNameThatIsNoneIsPassedOver(_ bytes: [UInt8]) async throws {
        let key = try #require(InFlightKey(bytes))
        for _ in 1...3 { #expect(try await store.count(died: [key], by: .crash, at: Date()).new.isEmpty) }
        #expect(try await store.quarantined().isEmpty)
    }
}
