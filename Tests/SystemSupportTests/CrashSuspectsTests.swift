import Testing

@testable import SystemSupport

/// What is set aside, decided from what processes died of.
@Suite struct CrashSuspectsTests {
    private func key(_ number: UInt8) throws -> InFlightKey { try #require(InFlightKey([number])) }

    @Test func whatThreeProcessesDiedOfIsInQuarantine() throws {
        let culprit = try key(1)
        var suspects = CrashSuspects()
        for crashes in 1...2 {
            let counts = suspects.processEnded(by: .crash, with: [culprit])
            #expect(counts == [.init(key: culprit, weight: 3 * crashes)])
            #expect(suspects.isSuspect(culprit) && !suspects.isQuarantined(culprit))
        }
        let counts = suspects.processEnded(by: .crash, with: [culprit])
        #expect(counts == [.init(key: culprit, weight: 9)])
        #expect(suspects.isQuarantined(culprit) && !suspects.isSuspect(culprit))
        #expect(suspects.quarantined == [culprit])
    }

    /// Whoever kills a process again and again while it starts kills it in the same item each time.
    @Test func aKilledProcessSaysAThirdOfWhatACrashedOneSays() throws {
        let item = try key(1)
        var suspects = CrashSuspects()
        for _ in 1...8 {
            _ = suspects.processEnded(by: .kill, with: [item])
            #expect(suspects.isSuspect(item) && !suspects.isQuarantined(item))
        }
        _ = suspects.processEnded(by: .kill, with: [item])
        #expect(suspects.isQuarantined(item))

        var mixed = CrashSuspects()
        for end in [ProcessEnd.crash, .kill, .kill, .crash] { _ = mixed.processEnded(by: end, with: [item]) }
        #expect(!mixed.isQuarantined(item))
        _ = mixed.processEnded(by: .kill, with: [item])
        #expect(mixed.isQuarantined(item))
    }

    @Test func whatWasOnlyBesideIsClearedWhenItIsDone() throws {
        let culprit = try key(1), innocent = try key(2)
        var suspects = CrashSuspects()
        let counts = suspects.processEnded(by: .crash, with: [culprit, innocent, culprit])
        #expect(counts.map(\.weight) == [3, 3])
        // Alone, the innocent is done and the culprit is not.
        let wasThere = suspects.clear(innocent), isThere = suspects.clear(innocent)
        #expect(wasThere && !isThere)
        _ = suspects.processEnded(by: .crash, with: [culprit])
        // The innocent is in flight once more, and counted from the beginning.
        _ = suspects.processEnded(by: .crash, with: [culprit, innocent])
        #expect(suspects.isQuarantined(culprit))
        #expect(suspects.isSuspect(innocent))
    }

    @Test func aProcessThatEndsWithNothingInFlightChangesNothing() throws {
        var suspects = CrashSuspects([.init(key: try key(1), weight: 6)])
        let counts = suspects.processEnded(by: .crash, with: [])
        #expect(counts.isEmpty)
        #expect(suspects.isSuspect(try key(1)))
        #expect(!CrashSuspects().isSuspect(try key(1)) && CrashSuspects().isEmpty)
    }

    @Test func theCountGoesOnFromWhatWasStored() throws {
        let culprit = try key(1)
        var stored: [CrashSuspects.Count] = []
        for _ in 1...3 {
            var suspects = CrashSuspects(stored)
            stored = suspects.processEnded(by: .crash, with: [culprit])
        }
        #expect(CrashSuspects(stored).isQuarantined(culprit))
        // More than are counted do not overflow.
        var beyond = CrashSuspects([.init(key: culprit, weight: .max)])
        let counts = beyond.processEnded(by: .crash, with: [culprit])
        #expect(counts.map(\.weight) == [12])
    }
}
