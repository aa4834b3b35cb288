import Foundation
import TestSupport
import Testing

@testable import SystemSupport

/// Records of crashes as they may be found: large, repeated, with more weight than there can be.
@Suite struct CrashRecordLimitTests {
    private func key(_ text: String) throws -> InFlightKey { try #require(InFlightKey(Array(text.utf8))) }

    @Test(arguments: [(1 << 20, true), (1 << 20 + 1, false)]) func aTableIsReadUpToItsLargestSize(_ size: Int, _ isRead: Bool) throws {
        let folder = try TemporaryFolder(), path = folder("inflight"), key = try key("a")
        var image = InFlightTable.image(of: [key], after: .kill, slots: 1)
        image += [UInt8](repeating: 0, count: size - image.count)
        try Data(image).write(to: URL(fileURLWithPath: path))
        let table = try InFlightTable(path: path, slots: 2)
        #expect(table.leftBehind == (isRead ? [key] : []))
        // It has its own size from then on.
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.size] as? Int == InFlightTable.image(of: [], after: .kill, slots: 2).count)
    }

    @Test(arguments: [(-5, 1), (0, 1), (1, 1), (4_096, 4_096), (4_097, 4_096), (.max, 4_096)])
    func aTableHasAtLeastOneSlotAndNoMoreThanItsLimit(_ asked: Int, _ slots: Int) throws {
        let folder = try TemporaryFolder()
        #expect(try InFlightTable(path: folder("inflight"), slots: asked).slots == slots)
    }

    @Test func whatALargerTableHasNotedEndsNothing() throws {
        let folder = try TemporaryFolder(), table = try InFlightTable(path: folder("inflight"), slots: 2)
        let larger = try InFlightTable(path: folder("larger"), slots: 4), first = table.begin(try key("a"))
        let others = try (0..<4).map { larger.begin(try key("\($0)")) }
        for entry in [nil] + others.suffix(3) { table.end(entry) }
        let second = table.begin(try key("b")), third = table.begin(try key("c"))
        #expect(first != nil && second != nil && third == nil)
        let left = try InFlightTable(path: folder("inflight"), slots: 2).leftBehind
        #expect(Set(left) == [try key("a"), try key("b")])
    }

    @Test func whatIsStoredTwiceCountsByItsLargerWeight() throws {
        let key = try key("a")
        for weights in [[3, 9], [9, 3]] {
            let suspects = CrashSuspects(weights.map { .init(key: key, weight: $0) })
            #expect(suspects.isQuarantined(key) && !suspects.isSuspect(key) && suspects.quarantined == [key])
        }
    }

    @Test(arguments: [.max, .max - 1, 1_000, 9]) func aWeightThatIsLargeEnoughGrowsNoMore(_ stored: Int) throws {
        let key = try key("a")
        var suspects = CrashSuspects([.init(key: key, weight: stored)])
        for _ in 0..<5 {
            let counts = suspects.processEnded(by: .crash, with: [key, key])
            #expect(counts == [.init(key: key, weight: CrashSuspects.quarantineWeight + 3)])
        }
        #expect(suspects.clear(key) && !suspects.clear(key) && suspects.isEmpty)
    }

    @Test(arguments: [(0, false), (8, false), (9, true), (-3, false)]) func theQuarantineBeginsAtItsWeight(_ weight: Int, _ isQuarantined: Bool) throws {
        let key = try key("a"), suspects = CrashSuspects([.init(key: key, weight: weight)])
        #expect(suspects.isQuarantined(key) == isQuarantined && suspects.isSuspect(key) == !isQuarantined)
    }
}
