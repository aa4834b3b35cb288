/// A time of a plan of kills: the moment of a death, or how long the dead one stays away.
///
/// No event is waited for. The times are what these tests vary: a kill that waited for an event would always hit the same moment.
enum PlannedPause {
    /// Lets the time pass.
    static func pass(milliseconds: Int) async throws { try await Task.sleep(for: .milliseconds(milliseconds)) }
}
