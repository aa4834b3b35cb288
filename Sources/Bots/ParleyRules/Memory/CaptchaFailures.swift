internal import Parley

/// The members of a group who have failed the captcha within an hour. A refused person can join again as another member, so only all of them together can
/// be counted.
struct CaptchaFailures: StoredState {
    static let stateName = "parley.rules.captchaFailures"
    /// Seconds.
    private static let window = 3_600.0

    /// The times in seconds since 1970, the newest last.
    private var times: [Double] = []

    /// Failures within the hour before a time.
    func count(at now: Double) -> Int { times.count { now - $0 < Self.window } }

    /// Notes a failure.
    mutating func add(at now: Double) { times = (times.filter { now - $0 < Self.window } + [now]).suffix(CaptchaSpec.failureRange.upperBound) }
}
