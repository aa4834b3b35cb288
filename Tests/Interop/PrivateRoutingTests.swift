import ChatProtocol
import OfficialPeers
import ProcessSupport
import Testing

extension Interop {
    /// Sending through one's own router to the recipient's, which does not learn the sender's address that way.
    @Suite struct PrivateRouting {
        /// Who begins, and the routers of both.
        struct Route: CustomTestStringConvertible {
            let sender: Implementation
            let proxy: Implementation
            let destination: Implementation

            static let all = Implementation.allCases.flatMap { sender in
                Implementation.allCases.flatMap { proxy in
                    Implementation.allCases.map { Route(sender: sender, proxy: proxy, destination: $0) }
                }
            }

            var who: String {
                "by \(sender == .official ? "the official client" : "Parley"), through this router to \(destination == .official ? "an official one" : "Parley's")"
            }

            var testDescription: String { "\(who), \(proxy) router" }
        }

        @Test(arguments: Route.all) func `Both sides send through their own routers only, which count it`(_ route: Route) async throws {
            try await seen("private routing, and back the same way, never directly", route.who, through: route.proxy) {
                let own = try await route.proxy.router()
                let other = try await route.destination.router()
                let sender = try await route.sender.party("sofia", servers: [own.address], routesPrivately: true)
                let receiver = try await route.sender.other.party("rita", servers: [other.address], routesPrivately: true)
                let (host, guest) = try await Encounter(router: own, host: sender, guest: receiver).connect()
                try await exchange(host, guest, from: own, to: other)
                try await exchange(guest, host, from: other, to: own)
                for party in [sender, receiver] { try await party.leave() }
                for router in [own, other] {
                    let counted = try await router.finish()
                    try #require(counted.relayed >= Self.count && counted.received >= Self.count, "\(counted)")
                }
            }
        }

        private static let count = 3

        /// Sends some messages one way, and sees that they are forwarded.
        private func exchange(_ speaker: Side, _ listener: Side, from own: any Router, to other: any Router) async throws {
            for number in 1...Self.count {
                let item = try await speaker.say("message \(number)")
                try await listener.hear("message \(number)")
                try await speaker.receipt(of: item)
                let sent = try await speaker.history(10).first { $0.itemID == item }
                try #require(sent?["meta"]?["sentViaProxy"]?.boolValue == true, "as \(speaker.name) shows it")
            }
            let counters = try await speaker.party.routerCounters()
            func count(_ router: any Router, _ name: String) -> Int64 { counters[router.address]?[name]?.intValue ?? 0 }
            let (given, arrived) = (count(own, "_sentProxied"), count(other, "_sentViaProxy"))
            try #require(given >= Self.count && arrived == given, "\(speaker.name) counts \(given) and \(arrived)")
            try #require(count(other, "_sentDirect") + count(own, "_sentDirect") == 0, "\(speaker.name) sent directly")
        }
    }
}

extension Party {
    /// What it has counted of each router, by the router's address.
    fileprivate func routerCounters() async throws -> [String: JSONValue] {
        let summary = try #require(try await send("/get servers summary 1")["serversSummary"]?["currentUserSMP"])
        let lists = ["currentlyUsedSMPServers", "previouslyUsedSMPServers", "onlyProxiedSMPServers"]
        let routers = lists.flatMap { summary[$0]?.arrayValue ?? [] }
        return Dictionary(
            routers.compactMap { router in
                guard let address = router["smpServer"]?.stringValue, let counters = router["stats"] else { return nil }
                return (address, counters)
            }, uniquingKeysWith: { first, _ in first })
    }
}
