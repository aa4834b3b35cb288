import SystemSupport
import TestSupport
import Testing

@Suite struct SteadyTimeTests {
    private static let start = Duration.seconds(1_800_000_000)
    private static let (past, future) = (Duration.zero, Duration.seconds(4_102_444_800))

    @Test func aClockThatIsRightIsFollowed() {
        var time = SteadyTime()
        for second in 0..<100 { #expect(time.believed(Self.start + .seconds(second), at: .seconds(second)) == Self.start + .seconds(second)) }
    }

    @Test(arguments: [1, -1, 3_600, -3_600]) func aClockThatIsSetALittleIsFollowed(_ seconds: Int) {
        var time = SteadyTime()
        _ = time.believed(Self.start, at: .zero)
        let set = Self.start + .seconds(60 + seconds)
        #expect(time.believed(set, at: .seconds(60)) == set)
        #expect(time.believed(set + .seconds(1), at: .seconds(61)) == set + .seconds(1))
    }

    @Test(arguments: [past, future, start + .seconds(3_700), start - .seconds(3_700), start + .seconds(86_400), start - .seconds(86_400)])
    func aClockThatJumpsIsBelievedAfterADay(_ wrong: Duration) {
        var time = SteadyTime()
        _ = time.believed(Self.start, at: .zero)
        for hour in 0..<24 {
            let elapsed = Duration.seconds(10 + hour * 3_600)
            #expect(time.believed(wrong + elapsed, at: elapsed) == Self.start + elapsed)
        }
        let later = Duration.seconds(10 + 86_400)
        #expect(time.believed(wrong + later, at: later) == wrong + later)
        #expect(time.believed(wrong + later + .seconds(5), at: later + .seconds(5)) == wrong + later + .seconds(5))
    }

    @Test func aClockThatIsSetRightAgainHasNeverBeenBelieved() {
        var time = SteadyTime()
        _ = time.believed(Self.start, at: .zero)
        #expect(time.believed(Self.future, at: .seconds(1)) == Self.start + .seconds(1))
        let noon = Duration.seconds(43_200)
        #expect(time.believed(Self.start + noon, at: noon) == Self.start + noon)
        // The next jump begins its day anew.
        for hour in 13..<37 { #expect(time.believed(Self.past, at: .seconds(hour * 3_600)) == Self.start + .seconds(hour * 3_600)) }
    }

    @Test(arguments: [(past, future), (future, past), (future, start + .seconds(90_000)), (start + .seconds(90_000), start + .seconds(180_000))])
    func aClockThatIsOffInAnotherWayBeginsItsDayAnew(_ first: Duration, _ second: Duration) {
        var time = SteadyTime()
        _ = time.believed(Self.start, at: .zero)
        for hour in 1...23 {
            let elapsed = Duration.seconds(hour * 3_600)
            #expect(time.believed(first + elapsed, at: elapsed) == Self.start + elapsed)
        }
        for hour in 24...47 {
            let elapsed = Duration.seconds(hour * 3_600)
            #expect(time.believed(second + elapsed, at: elapsed) == Self.start + elapsed, "hour \(hour)")
        }
        let day = Duration.seconds(48 * 3_600)
        #expect(time.believed(second + day, at: day) == second + day)
    }

    @Test func aClockThatSaysSomethingElseEachTimeIsNeverBelieved() {
        var time = SteadyTime()
        _ = time.believed(Self.start, at: .zero)
        for hour in 1...200 {
            let elapsed = Duration.seconds(hour * 3_600)
            #expect(time.believed((hour % 2 == 0 ? Self.past : Self.future) + elapsed, at: elapsed) == Self.start + elapsed)
        }
    }

    @Test func aClockThatIsOffAndRunsALittleFastIsBelievedAfterADay() {
        var time = SteadyTime()
        _ = time.believed(Self.start, at: .zero)
        // It gains ten minutes in an hour, which is more than the tolerance in a day.
        for hour in 1...24 {
            let elapsed = Duration.seconds(hour * 3_600)
            #expect(time.believed(Self.future + elapsed + .seconds(hour * 600), at: elapsed) == Self.start + elapsed)
        }
        let day = Duration.seconds(25 * 3_600), shown = Self.future + day + .seconds(15_000)
        #expect(time.believed(shown, at: day) == shown)
    }

    @Test func aMachineThatSleptKnowsHowLong() {
        var time = SteadyTime()
        _ = time.believed(Self.start, at: .zero)
        let week = Duration.seconds(7 * 86_400)
        #expect(time.believed(Self.start + week, at: week) == Self.start + week)
    }

    @Test func whateverTheClockShowsTimePassesAndNeverBackByMoreThanTheTolerance() {
        var random = SplitMix64(seed: 5), time = SteadyTime()
        var elapsed = Duration.zero, last = time.believed(Self.start, at: .zero)
        for step in 0..<2_000 {
            // Too often for any of it to stand for a day.
            elapsed += .seconds(Int.random(in: 0...3_600, using: &random))
            let shown = Duration.seconds(Int.random(in: 0...4_102_444_800, using: &random))
            let believed = time.believed(step % 8 == 0 ? Self.start + elapsed : shown, at: elapsed)
            #expect(believed >= last - SteadyTime.tolerance)
            #expect(believed <= Self.start + elapsed + SteadyTime.tolerance * 4)
            last = believed
        }
    }
}
