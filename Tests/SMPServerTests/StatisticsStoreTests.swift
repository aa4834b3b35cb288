import Foundation
import Logging
import TestSupport
import Testing

@testable import SMPServer

@Suite struct StatisticsStoreTests {
    private func store(_ folder: TemporaryFolder) -> StatisticsStore {
        StatisticsStore(.folder(folder.path), now: 5, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func total(_ store: StatisticsStore) -> UInt64 {
        var statistics = RouterStatistics()
        store.fill(&statistics, RouterStatistics.Counters(), on: 1)
        return statistics.counters.messagesSent
    }

    @Test func whoHasReadTheCountersFirstAndComesLastIsNotCountedTwice() {
        let store = StatisticsStore(.memory, now: 5, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var total: UInt64 = 0
        for count in [12, 10, 12] as [UInt64] {
            var counters = RouterStatistics.Counters()
            (counters.messagesSent, counters.queuesCreated) = (count, 22 - count)
            total = store.summary(counters, on: 1).total.messagesSent
        }
        #expect(total == 12)
        #expect(store.summary(RouterStatistics.Counters(), on: 1).total.queuesCreated == 12)
    }

    @Test func whatTheDiskRefusedIsSavedLater() throws {
        let folder = try TemporaryFolder(isCreated: false)
        let store = store(folder)
        var statistics = RouterStatistics(), counters = RouterStatistics.Counters()
        counters.messagesSent = 3
        store.fill(&statistics, counters, on: 1)
        // A folder in the way of the file that becomes the new one.
        let obstacle = folder.path + "/" + StatisticsStore.fileName + ".new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
        store.save()
        #expect(total(self.store(folder)) == 0)
        try FileManager.default.removeItem(atPath: obstacle)
        store.save()
        #expect(total(self.store(folder)) == 3)
    }
}
