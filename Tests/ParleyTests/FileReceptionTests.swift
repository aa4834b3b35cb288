import Foundation
import Testing

@testable import Parley

/// How much a bot receives on its own from one person.
@Suite struct FileReceptionTests {
    private func day(_ number: Int, _ hour: Double = 12) -> Date { Date(timeIntervalSince1970: Double(number) * 86_400 + hour * 3_600) }

    @Test func aDayHasRoomForSoManyFilesAndBytes() {
        let limits = FileReception(upTo: 100, filesPerDay: 3, bytesPerDay: 200)
        var use = FileReceptionUse()
        #expect(use.take(100, within: limits, at: day(5)) == .accept)
        #expect(use.take(101, within: limits, at: day(5)) == .refuse(isFirst: true))
        #expect(use.take(90, within: limits, at: day(5, 23.9)) == .accept)
        #expect(use.take(11, within: limits, at: day(5)) == .refuse(isFirst: false))
        #expect(use.take(10, within: limits, at: day(5)) == .accept)
        #expect(use.take(0, within: limits, at: day(5)) == .refuse(isFirst: false))
        // A clock that was set back gives no more, the next day does.
        #expect(use.take(1, within: limits, at: day(4)) == .refuse(isFirst: false))
        #expect(use.take(1, within: limits, at: day(6, 0)) == .accept)
        #expect(use == FileReceptionUse(day: 6, files: 1, bytes: 1, isTold: false))
    }

    @Test func sizesThatPeopleMakeUpDoNotOverflow() {
        let limits = FileReception(upTo: .max)
        #expect(limits.bytesPerDay == .max && limits.filesPerDay == 100)
        var use = FileReceptionUse()
        #expect(use.take(.max, within: limits, at: day(1)) == .accept)
        #expect(use.take(1, within: limits, at: day(1)) == .refuse(isFirst: true))
        #expect(use.take(-5, within: limits, at: day(1)) == .accept)
        #expect(use.bytes == .max)
    }

    @Test func withoutOtherLimitsADayHasRoomForTenOfTheLargestFiles() {
        #expect(FileReception(upTo: 1_000).bytesPerDay == 10_000)
    }
}
