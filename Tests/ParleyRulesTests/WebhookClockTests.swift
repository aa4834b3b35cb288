import Foundation
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import Parley
@testable import ParleyRules

/// Webhooks that wait while the clock of the system is wrong: they are given up after a day that has passed, and not before.
@Suite struct WebhookClockTests {
    private static let start = 1_767_225_600.0
    private static let offsets = [2_208_988_800.0, -1_767_225_600, -2_208_988_800]

    private func delivery(at time: Double) -> WebhookDelivery {
        WebhookDelivery(id: "1", endpoint: "hook", rule: "rule", body: "{}", created: time, due: time)
    }

    private final class Wall: Sendable {
        let offset = Mutex(0.0)
    }

    @Test(arguments: offsets, [10.0, 40_000]) func aDeliveryIsGivenUpAfterADayAlthoughTheClockJumpsMeanwhileAndBack(_ jump: Double, _ length: Double) throws {
        let clock = ManualClock(), wall = Wall(), elapsed = clock.stopwatch()
        let time = BotTime(clock: clock) { Date(timeIntervalSince1970: Self.start + elapsed().seconds + wall.offset.withLock(\.self)) }
        var waiting: WebhookDelivery? = delivery(at: time.now().timeIntervalSince1970)
        var attempts = 0
        while let next = waiting {
            let now = time.now().timeIntervalSince1970, pause = max(0, next.due(at: now) - now)
            #expect(pause <= WebhookDelivery.longestPause)
            clock.advance(by: .seconds(pause))
            let passed = elapsed().seconds
            wall.offset.withLock { $0 = (1_000...1_000 + length).contains(passed) ? jump : 0 }
            waiting = next.retried(at: time.now().timeIntervalSince1970)
            attempts += 1
            try #require(attempts < 200)
        }
        #expect(elapsed().seconds > WebhookDelivery.lifetime - WebhookDelivery.longestPause - 1 && elapsed().seconds <= WebhookDelivery.lifetime)
        #expect(attempts > 20)
    }

    @Test(arguments: offsets) func aDeliveryThatWasAddedByAWrongClockHasItsDayFromTheFirstAttemptWithARightOne(_ offset: Double) throws {
        var waiting = delivery(at: Self.start + offset), now = Self.start
        #expect(waiting.due(at: now) <= now, "it is tried at once")
        waiting = try #require(waiting.retried(at: now))
        let beginning = now
        var last = now
        while let next = waiting.retried(at: now) {
            (waiting, last) = (next, now)
            now = next.due(at: now)
        }
        #expect(last - beginning > WebhookDelivery.lifetime - 2 * WebhookDelivery.longestPause - 1)
    }

    @Test func aDeliveryWaitsForARightClockAsLongAsForAnyReceiver() throws {
        // Added in 2026, and tried by a process that believes in 1970: nothing is given up there, and the day begins anew.
        let early = try #require(delivery(at: Self.start).retried(at: 1_000))
        #expect(early.created == 1_000)
        let right = try #require(early.retried(at: Self.start + 60))
        #expect(right.created == Self.start + 60)
    }
}
