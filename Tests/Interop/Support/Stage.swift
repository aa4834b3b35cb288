import ChatProtocol
import OfficialPeers
import ProcessSupport
import Testing

/// An official client and Parley, connected through one router.
struct Pair: Sendable {
    let router: any Router
    let official: Side
    let parley: Side

    func side(_ implementation: Implementation) -> Side { implementation == .official ? official : parley }

    /// Makes both parties, and connects them by a one-time link of the official client.
    static func connect(through router: any Router) async throws -> Pair {
        async let official = Implementation.official.party("olga", servers: [router.address])
        let parley = try await Implementation.parley.party("pablo", servers: [router.address])
        return try await connect(try await official, parley, router)
    }

    /// Connects two parties by a one-time link of the official client.
    static func connect(_ official: any Party, _ parley: any Party, _ router: any Router) async throws -> Pair {
        let link = try await official.invitation()
        try await parley.send("/c \(link.full)")
        return Pair(
            router: router, official: Side(party: official, contact: try await official.connected(to: parley.name)),
            parley: Side(party: parley, contact: try await parley.connected(to: official.name)))
    }

    /// Ends both parties.
    func close() async throws {
        try await official.party.leave()
        try await parley.party.leave()
    }
}

/// What tests share: a router of each implementation, and a pair that talks through it.
actor Stage {
    static let shared = Stage()
    private var pairs: [Implementation: Task<Pair, any Error>] = [:]
    private var routers: [Implementation: Task<any Router, any Error>] = [:]
    private var previous: Task<any Router, any Error>?

    /// A router that is never stopped.
    func router(_ implementation: Implementation) async throws -> any Router {
        let task = routers[implementation] ?? Task { try await implementation.router() }
        routers[implementation] = task
        return try await task.value
    }

    /// An official router of the previous release, which is never stopped.
    func previousRouter() async throws -> any Router {
        let task = previous ?? Task { try await OfficialRouter.start(.previous) as any Router }
        previous = task
        return try await task.value
    }

    /// The pair that talks through that router; connected when it is first asked for.
    func pair(through router: Implementation) async throws -> Pair {
        let task = pairs[router] ?? Task { try await Pair.connect(through: try await self.router(router)) }
        pairs[router] = task
        return try await task.value
    }

    /// Ends everything.
    func close() async {
        for task in pairs.values { try? await (try? task.value)?.close() }
        for task in routers.values { await (try? task.value)?.end(.kill) }
        await (try? previous?.value)?.end(.kill)
        (pairs, routers, previous) = ([:], [:], nil)
    }
}

/// A link in both forms.
struct Link: Sendable {
    let full: String
    let short: String?

    init(_ json: JSONValue?) throws {
        full = try #require(json?["connFullLink"]?.stringValue)
        short = json?["connShortLink"]?.stringValue
    }
}

extension Party {
    /// Makes a one-time link.
    func invitation() async throws -> Link { try Link(try await send("/_connect 1")["connLinkInvitation"]) }

    /// Makes an address.
    func address() async throws -> Link { try Link(try await send("/_address 1")["connLinkContact"]) }

    /// Waits until a contact is connected.
    ///
    /// - Returns: its id.
    @discardableResult func connected(to name: String) async throws -> Int64 {
        try await event("contactConnected") { event in
            let contact = event["contact"]
            return contact?["localDisplayName"]?.stringValue == name ? contact?["contactId"]?.intValue : nil
        }
    }
}
