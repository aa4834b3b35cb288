import Foundation
import Logging
import Testing

@testable import SMPServer

@Suite struct StatisticsKeeperTests {
    private func keeper(_ folder: TemporaryFolder) -> StatisticsKeeper {
        StatisticsKeeper(.folder(folder.path), now: 5, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func total(_ keeper: StatisticsKeeper) -> UInt64 {
        var statistics = RouterStatistics()
        keeper.fill(&statistics, RouterStatistics.Counters(), on: 1)
        return statistics.counters.messagesSent
    }

    @Test func whatTheDiskRefusedIsSavedLater() throws {
        let folder = TemporaryFolder()
        let keeper = keeper(folder)
        var statistics = RouterStatistics(), counters = RouterStatistics.Counters()
        counters.messagesSent = 3
        keeper.fill(&statistics, counters, on: 1)
        // A folder in the way of the file that becomes the new one.
        let obstacle = folder.path + "/" + StatisticsKeeper.fileName + ".new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
        keeper.save()
        #expect(total(self.keeper(folder)) == 0)
        try FileManager.default.removeItem(atPath: obstacle)
        keeper.save()
        #expect(total(self.keeper(folder)) == 3)
    }
}
