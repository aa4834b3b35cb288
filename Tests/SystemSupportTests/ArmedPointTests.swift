import TestSupport
import Testing

@testable import SystemSupport

/// Where tests have a process end: only what is spelled out is armed.
@Suite struct ArmedPointTests {
    @Test(arguments: FailPoint.allCases) func everyFailPointIsArmedByItsNameAndACount(_ point: FailPoint) {
        for count in ["1", "2", "\(Int.max)"] { #expect(ArmedFailPoint("\(point.rawValue):\(count)") != nil) }
        for count in ["", "0", "-1", "x", "1.5", "1 ", "\(Int.max)0"] { #expect(ArmedFailPoint("\(point.rawValue):\(count)") == nil, "\(count)") }
    }

    @Test(arguments: ["", ":", ":1", "1", "nowhere:1", "database.commit", " database.commit:1"])
    func anythingElseArmsNothing(_ text: String) {
        #expect(ArmedFailPoint(text) == nil)
        #expect(ArmedTrapPoint(text) == nil)
    }

    @Test func aPointThatIsNotMeantOrNotYetReachedIsPassed() throws {
        let (first, second) = (FailPoint.allCases[0], FailPoint.allCases[1])
        let armed = try #require(ArmedFailPoint("\(first.rawValue):3"))
        for _ in 0..<10 { armed.pass(second) }
        for _ in 0..<2 { armed.pass(first) }
    }

    @Test(arguments: TrapPoint.allCases) func aTrapIsPassedByWhatDoesNotContainItsText(_ point: TrapPoint) throws {
        let armed = try #require(ArmedTrapPoint("\(point.rawValue):poi:son"))
        for text in ["", "poison", "poi:so", "poi son", "Poi:son"] { armed.pass(point, Array(text.utf8)) }
        for other in TrapPoint.allCases where other != point { armed.pass(other, Array("poi:son".utf8)) }
    }
}

/// Tables that another program wrote, or that were damaged.
@Suite struct InFlightImageTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>) func anyBytesAreReadAsNamesOfTheirBound(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let names = try (0..<4).map { number in try #require(InFlightKey(random.bytes(1 + number * 20))) }
        let image = InFlightTable.image(of: names, after: .kill, slots: 6)
        #expect(InFlightTable.keys(in: image) == names)
        for count in image.indices {
            let keys = InFlightTable.keys(in: Array(image.prefix(count)))
            #expect(names.starts(with: keys), "seed \(seed), \(count) bytes: what is whole, in its order")
        }
        for _ in 0..<300 {
            var changed = image
            for _ in 0..<8 { changed[Int.random(in: 16..<changed.count, using: &random)] = random.bytes(1)[0] }
            let keys = InFlightTable.keys(in: changed)
            #expect(keys.count <= 6 && keys.allSatisfy { (1...InFlightKey.longest).contains($0.bytes.count) }, "seed \(seed)")
        }
    }

    @Test(arguments: [0, 1, 3, 4, 5]) func anImageHoldsAsManyNamesAsItHasSlots(_ slots: Int) throws {
        let names = try (0..<4).map { number in try #require(InFlightKey([UInt8(number)])) }
        for end in [ProcessEnd.crash, .kill] {
            #expect(InFlightTable.keys(in: InFlightTable.image(of: names, after: end, slots: slots)) == Array(names.prefix(slots)))
        }
    }
}
