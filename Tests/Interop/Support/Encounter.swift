import ChatProtocol
import Testing

/// Two parties that are not connected yet: one of them makes a link, the other one opens it.
struct Encounter: Sendable {
    let router: any Router
    let host: any Party
    let guest: any Party

    /// Makes both, on a router that is shared with others or on their own.
    static func prepare(_ way: Meeting, on own: (any Router)? = nil) async throws -> Encounter {
        let router = if let own { own } else { try await Stage.shared.router(way.router) }
        async let host = way.host.party("hanna", servers: [router.address])
        let guest = try await way.host.other.party("gustav", servers: [router.address])
        return Encounter(router: router, host: try await host, guest: guest)
    }

    /// Waits until both say that they are connected.
    func connected() async throws -> (host: Side, guest: Side) {
        (Side(party: host, contact: try await host.connected(to: guest.name)), Side(party: guest, contact: try await guest.connected(to: host.name)))
    }

    /// Connects them by a one-time link.
    func connect() async throws -> (host: Side, guest: Side) {
        try await guest.send("/c \(try await host.invitation().full)")
        return try await connected()
    }

    func close() async throws {
        try await host.leave()
        try await guest.leave()
    }
}

/// Who makes the link, and through whose router.
struct Meeting: ThroughRouter {
    let host: Implementation
    let router: Implementation

    init(_ host: Implementation, through router: Implementation) { (self.host, self.router) = (host, router) }

    /// Whose link or deed it is, for the table.
    var who: String { host == .official ? "by the official client" : "by Parley" }
}

/// Exchanges a text in each direction.
func converse(_ one: Side, _ other: Side, _ text: String) async throws {
    for (speaker, listener) in [(one, other), (other, one)] {
        let line = "\(text), says \(speaker.name)"
        try await speaker.say(line)
        try await listener.hear(line)
    }
}
