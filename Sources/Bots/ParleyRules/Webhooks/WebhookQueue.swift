internal import Foundation
internal import Parley

/// The stored form of a waiting delivery. It contains neither the address nor the secret.
struct WebhookDelivery: Codable, Sendable, Hashable {
    /// The id, which is the same at each attempt.
    var id: String
    /// The name of the address.
    var endpoint: String
    /// The id of the rule, or its line.
    var rule: String
    /// The JSON text that is sent.
    var body: String
    /// The time of the event, in seconds since 1970.
    var created: Double
    /// Attempts that were made.
    var attempts = 0
    /// The time of the next attempt, in seconds since 1970.
    var due: Double

    /// Seconds after which a delivery is given up: a day.
    static let lifetime = 86_400.0
    /// Seconds before the second attempt. Each further pause is twice as long as the previous one.
    static let firstPause = 5.0
    /// The longest pause, in seconds.
    static let longestPause = 3_600.0

    /// The time of the next attempt. A time beyond any pause was set while the clock was wrong: the attempt is made now.
    func due(at now: Double) -> Double { due > now + Self.longestPause ? now : due }

    /// The delivery after a failed attempt; nil if it is given up.
    func retried(at now: Double, notBefore wish: Double = 0) -> WebhookDelivery? {
        var next = self
        next.attempts += 1
        let pause = min(Self.firstPause * pow(2, Double(min(attempts, 20))), Self.longestPause)
        next.due = now + max(pause, min(wish, Self.longestPause))
        // It was added while the clock was wrong: its day begins now.
        next.created = ImplausibleTime.wasBehind(created, at: now) ? now : min(created, now)
        return next.due - next.created > Self.lifetime ? nil : next
    }
}

/// The deliveries of a bot that wait.
struct WebhookQueue: StoredState, Hashable {
    static let stateName = "parley.webhooks"
    /// Deliveries that wait at the most, but for those that handlers add at the same time.
    static let maximumCount = 100
    /// Bytes of their bodies at the most.
    static let maximumSize = 512 * 1_024

    /// Part of all ids, so that those of two data folders differ. Empty before it has been drawn.
    var seed = ""
    private(set) var deliveries: [WebhookDelivery] = []

    /// Checks whether a delivery may be added.
    ///
    /// - Returns: false if too many wait. A waiting delivery may be added again.
    func hasRoom(for delivery: WebhookDelivery) -> Bool {
        if deliveries.contains(where: { $0.id == delivery.id }) { return true }
        let size = deliveries.reduce(delivery.body.utf8.count) { $0 + $1.body.utf8.count }
        return deliveries.count < Self.maximumCount && size <= Self.maximumSize
    }

    /// Adds a delivery for which there was room when its handler asked, also if the room has been taken since: the handler relies on the delivery.
    /// A delivery that waits already is not added again.
    mutating func add(_ delivery: WebhookDelivery) {
        if !deliveries.contains(where: { $0.id == delivery.id }) { deliveries.append(delivery) }
    }

    mutating func remove(_ id: String) { deliveries.removeAll { $0.id == id } }

    mutating func replace(_ delivery: WebhookDelivery) {
        guard let index = deliveries.firstIndex(where: { $0.id == delivery.id }) else { return }
        deliveries[index] = delivery
    }
}

/// The consequence of an attempt.
enum WebhookVerdict: Sendable, Hashable {
    case delivered
    /// Another attempt, not before some seconds if the receiver asks for it.
    case retry(after: Double)
    /// The receiver does not want it, for a reason in words.
    case refused(String)

    /// - Parameter retryAfter: seconds that the receiver asks for; 0 for none.
    init(status: Int, retryAfter: Double = 0) {
        switch status {
        case 200...299: self = .delivered
        case 300...399: self = .refused("the receiver redirects to another address, which is not followed")
        // Too slow, too early, too many: the same request may be welcome later.
        case 408, 425, 429, 500...: self = .retry(after: retryAfter)
        default: self = .refused("the receiver answered \(status)")
        }
    }
}
