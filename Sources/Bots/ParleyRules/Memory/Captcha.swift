internal import Parley

/// A question that people answer more easily than simple programs do.
public struct CaptchaSpec: Sendable, Hashable {
    /// Wrong answers after which somebody is refused.
    public let attempts: Int
    /// Seconds within which the right answer must come.
    public let limit: Double

    static let attemptRange = Captcha.attemptRange
    /// The longest time for an answer, in seconds.
    static let longestLimit = Double(Captcha.longestLimit.components.seconds)

    /// Reads `true` or a mapping.
    init?(_ reader: NodeReader) {
        guard reader.keys != nil else {
            guard let value = reader.bool() else { return nil }
            if !value { reader.report(.badValue, "leave the action out instead of saying false") }
            (attempts, limit) = (3, 3_600)
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.captcha)
        attempts = mapping.value("attempts")?.integer(in: Self.attemptRange) ?? 3
        let limit = mapping.value("within").flatMap(TimeSpan.read) ?? 3_600
        guard limit > 0, limit <= Self.longestLimit else {
            mapping.value("within")?.report(.badValue, "an answer takes more than nothing and a week at the most")
            return nil
        }
        self.limit = limit
    }
}
