import ChatProtocol
import OfficialPeers
import ProcessSupport
import Testing

extension Interop {
    /// Messages that nobody fetched in time.
    @Suite struct Expiry {
        @Test(arguments: Meeting.allCases) func `What has expired in the router is told as missing, and the rest comes`(_ way: Meeting) async throws {
            try await seen("messages that have expired in the router are reported as missing, the next one comes", "received \(way.who)", through: way.router) {
                let router: any ForgetfulRouter = way.router == .official ? try await OfficialRouter.start() : try await InnerRouter()
                let encounter = try await Encounter.prepare(way, on: router)
                let (host, guest) = try await encounter.connect()
                try await converse(host, guest, "before")
                try await host.party.leave()
                var last: Int64 = 0
                for number in 1...2 { last = try await guest.say("forgotten \(number)") }
                let kept = last
                _ = try await guest.item("chatItemsStatusesUpdated") { $0.itemID == kept && $0.status == "sndSent" }
                try await router.forgetMessages()
                try await host.party.comeBack()
                try await guest.say("remembered")
                try await host.hear("remembered")
                let history = try await host.history(20)
                let texts = history.filter(\.isReceived).compactMap(\.itemText)
                try #require(!texts.contains { $0.hasPrefix("forgotten") })
                let gaps = history.compactMap { $0["content"]?["msgError"] }
                let gap = try #require(gaps.first, "what the host has: \(texts)")
                try #require(gap["type"]?.stringValue == "msgSkipped")
                let first = try #require(gap["fromMsgId"]?.intValue), end = try #require(gap["toMsgId"]?.intValue)
                try #require(end - first >= 1, "both are missing")
                try await converse(host, guest, "after")
                try await encounter.close()
                await router.end(.kill)
            }
        }
    }
}
