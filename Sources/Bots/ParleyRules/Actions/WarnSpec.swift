internal import Parley

/// A warning that a rule gives.
struct WarnSpec: Sendable, Hashable {
    /// The points that it adds.
    let points: Int
    /// Seconds after which the points expire; nil for never.
    let expiry: Double?
    /// The reason, for the record; nil for none.
    let reason: String?

    static let pointRange = 1...100
    /// The longest reason, in bytes.
    static let longestReason = 200

    /// Reads `true`, points, or a mapping.
    init?(_ reader: NodeReader) {
        guard reader.keys != nil else {
            if reader.text == "true" {
                (points, expiry, reason) = (1, nil, nil)
                return
            }
            guard let points = reader.integer(in: Self.pointRange) else { return nil }
            (self.points, expiry, reason) = (points, nil, nil)
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: WarnAction.mapping)
        points = mapping.value("points").map { $0.integer(in: Self.pointRange) ?? 1 } ?? 1
        expiry = mapping.value("expires").flatMap(TimeSpan.positive)
        reason = mapping.value("reason")?.nonEmptyString()
        if let reason, reason.utf8.count > Self.longestReason {
            mapping.value("reason")?.report(.badValue, "the reason has \(reason.utf8.count) bytes, more than \(Self.longestReason)")
        }
    }
}
