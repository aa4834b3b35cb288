import OfficialPeers
import ProcessSupport

/// Asks again and again until something holds, where no event announces it. Each question is a command whose answer sets the pace.
func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ holds: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !holds() {
        guard ContinuousClock.now < end else { throw PeerError(.timeout, "in vain for \(limit): \(what)") }
    }
}
