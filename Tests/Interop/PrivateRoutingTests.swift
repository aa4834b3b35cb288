import ChatProtocol
import OfficialPeers
import ProcessSupport
import Testing

extension Interop {
    /// Sending through one's own router to the recipient's, which does not learn the sender's address that way.
    @Suite struct PrivateRouting {
        @Test(arguments: Implementation.allCases, Implementation.allCases)
        func `The official client sends through one router to another`(through proxy: Implementation, to destination: Implementation) async throws {
            let feature = "private routing by the official client (`--smp-proxy=always`)"
            try await seen(feature, "through this router to \(destination == .official ? "an official one" : "Parley's")", through: proxy) {
                let own = try await proxy.router()
                let other = try await destination.router()
                let sender = try await Implementation.official.party(
                    "olga", servers: [own.address], arguments: ["--smp-proxy=always", "--smp-proxy-fallback=no"])
                let receiver = try await Implementation.parley.party("pablo", servers: [other.address])
                let pair = try await Pair.connect(sender, receiver, own)
                let item = try await pair.official.say("through another router")
                try await pair.parley.hear("through another router")
                try await pair.official.receipt(of: item)
                let sent = try await pair.official.history(10).first { $0.itemID == item }
                try #require(sent?["meta"]?["sentViaProxy"]?.boolValue == true)
                try await converse(pair.official, pair.parley, "more")
                try await pair.close()
                for router in [own, other] { await router.end(.kill) }
            }
        }
    }
}
