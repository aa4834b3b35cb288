import ChatProtocol
import OfficialPeers
import ProcessSupport
import Testing

extension Interop {
    /// Those who are away find everything in order when they come back.
    @Suite struct Restarts {
        @Test(arguments: Meeting.allCases) func `Messages wait for who is away, and come in order`(_ way: Meeting) async throws {
            try await seen("20 messages while the other side is away, in order, with receipts", "received \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                try await converse(host, guest, "before")
                try await host.party.leave()
                var last: Int64 = 0
                let texts = (1...20).map { "message \($0)" }
                for text in texts { last = try await guest.say(text) }
                try await host.party.comeBack()
                try await host.hear(texts[19])
                try #require(try await host.history(40).filter(\.isReceived).compactMap(\.itemText).suffix(20) == texts)
                try await guest.receipt(of: last)
                try await converse(host, guest, "after")
                try await encounter.close()
            }
        }

        // Both routers hold 128 messages of a queue. Senders try again by themselves after minutes only.
        @Test(arguments: Meeting.allCases) func `Whom a full queue stopped goes on when it has been read`(_ way: Meeting) async throws {
            try await seen("140 messages while the other side is away: a full queue, and QCONT", "received \(way.who)", through: way.router) {
                let router = try await way.router.router()
                let encounter = try await Encounter.prepare(way, on: router)
                let (host, guest) = try await encounter.connect()
                try await host.party.leave()
                let texts = (1...140).map { "message \($0)" }
                var items: [Int64] = []
                for text in texts { items.append(try await guest.say(text)) }
                let last = items[139], fitting = items[120]
                _ = try await guest.item("chatItemsStatusesUpdated") { $0.itemID == fitting && $0.status == "sndSent" }
                try await host.party.comeBack()
                try await host.hear(texts[139])
                try #require(try await host.history(160).filter(\.isReceived).compactMap(\.itemText).suffix(140) == texts)
                try await guest.receipt(of: last)
                try await converse(host, guest, "after")
                try await encounter.close()
                try #require(try await router.finish().overQuota > 0)
            }
        }

        @Test(arguments: Meeting.allCases) func `A request made while the other side is away is answered later`(_ way: Meeting) async throws {
            try await seen("connecting by address while its owner is away", "made \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let link = try await encounter.host.address()
                try await encounter.host.send(#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#)
                try await encounter.host.leave()
                try await encounter.guest.send("/c \(link.full)")
                try await encounter.host.comeBack()
                let (host, guest) = try await encounter.connected()
                try await converse(host, guest, "later")
                try await encounter.close()
            }
        }

        @Test(arguments: Implementation.allCases) func `A router that is stopped and started again loses nothing`(_ router: Implementation) async throws {
            try await restart(router, .interrupt, how: "stopped")
        }

        // The official router keeps its messages in memory by default, so a crash of it does lose them.
        @Test func `Parley's router that is killed and started again loses nothing`() async throws {
            try await restart(.parley, .kill, how: "killed")
        }

        private func restart(_ implementation: Implementation, _ signal: ProcessSignal, how: String) async throws {
            try await seen("router \(how) and restarted, messages in it and messages sent meanwhile", "both ways", through: implementation) {
                let router = try await implementation.router()
                let pair = try await Pair.connect(through: router)
                try await converse(pair.official, pair.parley, "before")
                // One message waits in the router for each side …
                try await pair.parley.party.leave()
                let waiting = try await pair.official.say("kept by the router")
                _ = try await pair.official.item("chatItemsStatusesUpdated") { $0.itemID == waiting && $0.status == "sndSent" }
                await router.end(signal)
                try await pair.parley.party.comeBack()
                // … and others are sent while it is away.
                try await pair.official.say("sent without a router")
                try await pair.parley.say("sent without a router, too")
                try await router.run()
                try await pair.parley.hear("kept by the router", within: .seconds(120))
                try await pair.parley.hear("sent without a router", within: .seconds(120))
                try await pair.official.hear("sent without a router, too", within: .seconds(120))
                try await converse(pair.official, pair.parley, "after")
                try await pair.close()
                await router.end(.kill)
            }
        }
    }
}
