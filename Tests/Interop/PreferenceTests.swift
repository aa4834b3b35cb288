import ChatProtocol
import TestSupport
import Testing

extension Interop {
    /// What contacts allow each other.
    @Suite struct Preferences {
        @Test(arguments: Meeting.allCases) func `What both allow to be deleted is gone`(_ way: Meeting) async throws {
            try await seen("full deletion, where both allow it", way.who, through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                for side in [host, guest] {
                    try await side.party.send(#"/_set prefs @\#(side.contact) {"fullDelete":{"allow":"yes"}}"#)
                }
                for side in [host, guest] {
                    try await eventually("\(side.name) allows full deletion") {
                        let enabled = try await side.record()["mergedPreferences"]?["fullDelete"]?["enabled"]
                        return enabled?["forUser"]?.boolValue == true && enabled?["forContact"]?.boolValue == true
                    }
                }
                let sent = try await host.say("to vanish")
                let received = try await guest.hear("to vanish").itemID
                try await host.party.send("/_delete item @\(host.contact) \(sent) broadcast")
                let deletion = try await guest.party.event("chatItemsDeleted") { event in
                    event["chatItemDeletions"]?.arrayValue?.first { $0["deletedChatItem"]?["chatItem"]?.itemID == received }
                }
                try #require(deletion["toChatItem"] == nil)
                try #require(try await guest.history(20).allSatisfy { $0.itemID != received })
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `A disappearing message disappears on both sides`(_ way: Meeting) async throws {
            try await seen("disappearing message", way.who, through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                let sent = try await host.say("gone in a second", options: "ttl=1 ")
                let heard = try await guest.hear("gone in a second")
                try #require(heard["meta"]?["itemTimed"]?["ttl"]?.intValue == 1)
                let received = try #require(heard.itemID)
                try await guest.party.send("/_read chat items @\(guest.contact) \(received)")
                for (side, item) in [(host, sent), (guest, received)] {
                    try await side.party.event("chatItemsDeleted") { event in
                        let isIt = event["chatItemDeletions"]?.arrayValue?.contains { $0["deletedChatItem"]?["chatItem"]?.itemID == item }
                        return isIt == true && event["timed"]?.boolValue == true ? true : nil
                    }
                }
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `A preference changed is shown in the chat of the other side`(_ way: Meeting) async throws {
            try await seen("change of a preference, shown to the other side", way.who, through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                try await host.party.send(#"/_set prefs @\#(host.contact) {"reactions":{"allow":"no"}}"#)
                _ = try await guest.item("newChatItems") { item in
                    let content = item["content"]
                    return content?["type"] == "rcvChatFeature" && content?["feature"] == "reactions"
                        && content?["enabled"]?["forUser"]?.boolValue == false && content?["enabled"]?["forContact"]?.boolValue == false
                }
                try await encounter.close()
            }
        }
    }
}
