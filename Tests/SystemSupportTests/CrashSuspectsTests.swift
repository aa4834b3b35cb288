import Testing

@testable import SystemSupport

/// What is set aside, decided from what processes died of.
@Suite struct CrashSuspectsTests {
    private func key(_ number: UInt8) throws -> InFlightKey { try #require(InFlightKey([number])) }

    @Test func whatThreeProcessesDiedOfIsInQuarantine() throws {
        let culprit = try key(1)
        var suspects = CrashSuspects()
        for deaths in 1...2 {
            let counts = suspects.processDied(with: [culprit])
            #expect(counts == [.init(key: culprit, deaths: deaths)])
            #expect(suspects.isSuspect(culprit) && !suspects.isQuarantined(culprit))
        }
        let counts = suspects.processDied(with: [culprit])
        #expect(counts == [.init(key: culprit, deaths: 3)])
        #expect(suspects.isQuarantined(culprit) && !suspects.isSuspect(culprit))
        #expect(suspects.quarantined == [culprit])
    }

    @Test func whatWasOnlyBesideIsClearedWhenItIsDone() throws {
        let culprit = try key(1), innocent = try key(2)
        var suspects = CrashSuspects()
        let counts = suspects.processDied(with: [culprit, innocent, culprit])
        #expect(counts.map(\.deaths) == [1, 1])
        // Alone, the innocent is done and the culprit is not.
        let wasThere = suspects.clear(innocent), isThere = suspects.clear(innocent)
        #expect(wasThere && !isThere)
        _ = suspects.processDied(with: [culprit])
        // The innocent is in flight once more, and counted from the beginning.
        _ = suspects.processDied(with: [culprit, innocent])
        #expect(suspects.isQuarantined(culprit))
        #expect(suspects.isSuspect(innocent))
    }

    @Test func aProcessThatEndsWithNothingInFlightChangesNothing() throws {
        var suspects = CrashSuspects([.init(key: try key(1), deaths: 2)])
        let counts = suspects.processDied(with: [])
        #expect(counts.isEmpty)
        #expect(suspects.isSuspect(try key(1)))
        #expect(!CrashSuspects().isSuspect(try key(1)) && CrashSuspects().isEmpty)
    }

    @Test func theCountGoesOnFromWhatWasStored() throws {
        let culprit = try key(1)
        var stored: [CrashSuspects.Count] = []
        for _ in 1...3 {
            var suspects = CrashSuspects(stored)
            stored = suspects.processDied(with: [culprit])
        }
        #expect(CrashSuspects(stored).isQuarantined(culprit))
        // More deaths than are counted do not overflow.
        var beyond = CrashSuspects([.init(key: culprit, deaths: .max)])
        let counts = beyond.processDied(with: [culprit])
        #expect(counts.map(\.deaths) == [4])
    }
}
