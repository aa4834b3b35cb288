import ChatProtocol
import ProcessSupport
import Testing

extension Interop {
    /// What moderators hide from all members.
    @Suite struct GroupModeration {
        @Test(arguments: Meeting.allCases)
        func `A message that comes after its moderation is shown as moderated`(_ way: Meeting) async throws {
            try await seen("group: moderation that comes before the message", "read \(way.host.other.asReader)", through: way.router) {
                try await Self.moderateBeforehand(way, fullDelete: false) { guest in
                    let deletion = try await guest.event("chatItemsDeleted") { $0["chatItemDeletions"]?[0] }
                    let item = deletion["toChatItem"]?["chatItem"]
                    try #require(item?["meta"]?["itemDeleted"]?["type"]?.stringValue == "moderated")
                    try #require(item?["meta"]?["itemDeleted"]?["byGroupMember"]?["localDisplayName"]?.stringValue == "hanna")
                    return item?.itemID
                }
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A message that comes after its moderation is not shown where deletion is full`(_ way: Meeting) async throws {
            try await seen("group: moderation that comes before the message, full deletion", "read \(way.host.other.asReader)", through: way.router) {
                try await Self.moderateBeforehand(way, fullDelete: true) { guest in
                    let item = try await guest.event("newChatItems") { event in
                        event["chatItems"]?.arrayValue?.compactMap { $0["chatItem"] }.first { $0["content"]?["type"]?.stringValue == "rcvModerated" }
                    }
                    try #require(!item.text.contains("bad words"))
                    return item.itemID
                }
            }
        }

        @Test(arguments: Meeting.allCases)
        func `What a blocked member writes is hidden from all, until it is unblocked`(_ way: Meeting) async throws {
            try await seen("group: blocked for all, hidden, unblocked", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                try await group.host.send("/_member role #1 \(try await group.memberID("gustav", at: group.host)) moderator")
                _ = try await (group.guest.event("memberRole"), group.third.event("memberRole"))
                let fourth = try await group.welcome("otto", way.host.other)
                for (moderator, blocked) in [(group.host, fourth), (group.guest, group.third)] {
                    let readers = (group.parties + [fourth]).filter { $0.name != blocked.name }
                    for isBlocked in [true, false] {
                        let id = try await group.memberID(blocked.name, at: moderator)
                        try await moderator.send("/_block #1 \(id) blocked=\(isBlocked ? "on" : "off")")
                        for reader in readers where reader.name != moderator.name {
                            try await reader.event("memberBlockedForAll") { event in
                                let isIt = event["member"]?["localDisplayName"]?.stringValue == blocked.name
                                return isIt && event["blocked"]?.boolValue == isBlocked ? true : nil
                            }
                        }
                        let text = "by \(blocked.name), \(isBlocked ? "blocked" : "free")"
                        try await group.say(text, as: blocked)
                        for reader in readers {
                            let item = try await group.hear(text, as: reader)
                            let mark = item["meta"]?["itemDeleted"]?["type"]?.stringValue
                            try #require(mark == (isBlocked ? "blockedByAdmin" : nil), "what \(reader.name) sees")
                            let member = try await group.members(at: reader)[blocked.name]
                            try #require(member?["blockedByAdmin"]?.boolValue == isBlocked, "what \(reader.name) knows")
                        }
                    }
                }
                try await group.close()
                try await fourth.leave()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `What a blocked member writes is not kept where deletion is full`(_ way: Meeting) async throws {
            try await seen("group: blocked for all, full deletion", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way, profile: ["groupPreferences": ["fullDelete": ["enable": "on"]]])
                try await group.joinAll()
                try await group.host.send("/_block #1 \(try await group.memberID("petra", at: group.host)) blocked=on")
                try await group.guest.event("memberBlockedForAll")
                try await group.say("nobody reads this", as: group.third)
                for reader in [group.host, group.guest] {
                    let item = try await group.item("newChatItems", as: reader) { $0["content"]?["type"]?.stringValue == "rcvBlocked" }
                    try #require(item["meta"]?["itemDeleted"]?["type"]?.stringValue == "blockedByAdmin", "what \(reader.name) has")
                    let items = try await group.items(at: reader)
                    try #require(!JSONValue.array(items).text.contains("nobody reads this"), "what \(reader.name) has")
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Whom one member blocks is hidden from that one only`(_ way: Meeting) async throws {
            try await seen("group: blocked by one member for itself", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                for (blocker, other) in [(group.host, group.guest), (group.guest, group.host)] {
                    let id = try await group.memberID("petra", at: blocker)
                    for isBlocked in [true, false] {
                        try await blocker.send("/_member settings #1 \(id) {\"showMessages\":\(!isBlocked)}")
                        let text = "for \(blocker.name), \(isBlocked ? "blocked" : "free")"
                        try await group.say(text, as: group.third)
                        let hidden = try await group.hear(text, as: blocker)["meta"]?["itemDeleted"]?["type"]?.stringValue
                        try #require(hidden == (isBlocked ? "blocked" : nil), "what \(blocker.name) sees")
                        try #require(try await group.hear(text, as: other)["meta"]?["itemDeleted"] == nil, "what \(other.name) sees")
                    }
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `One who joins later learns who is blocked`(_ way: Meeting) async throws {
            try await seen("group: blocked member, seen by one who joins later", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.join(group.third)
                try await group.host.send("/_block #1 \(try await group.memberID("petra", at: group.host)) blocked=on")
                try await group.join(group.guest)
                try await group.guest.meets("petra")
                try await group.say("nobody reads this", as: group.third)
                let item = try await group.hear("nobody reads this", as: group.guest)
                try #require(item["meta"]?["itemDeleted"]?["type"]?.stringValue == "blockedByAdmin")
                try #require(try await group.members(at: group.guest)["petra"]?["blockedByAdmin"]?.boolValue == true)
                try await group.close()
            }
        }

        /// Has the guest receive a message of the third one only after the host's moderation of it: the guest's queue for the third one is on a
        /// router that stands still meanwhile.
        private static func moderateBeforehand(
            _ way: Meeting, fullDelete: Bool, shown: (any Party) async throws -> Int64?
        ) async throws {
            let profile: JSONObject = fullDelete ? ["groupPreferences": ["fullDelete": ["enable": "on"]]] : [:]
            let group = try await Gathering.prepare(way, profile: profile)
            let slow = try await way.router.router()
            try await group.join(group.guest)
            try await group.guest.send("/smp \(slow.address)")
            try await group.join(group.third)
            _ = try await (group.guest.event("connectedToGroupMember"), group.third.event("connectedToGroupMember"))

            await slow.end(.interrupt)
            try await group.say("bad words", as: group.third)
            let item = try #require(try await group.hear("bad words", as: group.host).itemID)
            try await group.host.send("/_delete member item #1 \(item)")
            try await group.say("that was bad", as: group.host)
            try await group.hear("that was bad", as: group.guest)
            try #require(try await group.texts(at: group.guest) == ["that was bad"])

            try await slow.run()
            let moderated = try await shown(group.guest)
            try await group.say("sorry", as: group.third)
            try await group.hear("sorry", as: group.guest)
            let stored = try await group.shown(moderated, at: group.guest)
            try #require(stored["meta"]?["itemDeleted"]?["type"]?.stringValue == "moderated")
            try #require(stored["chatDir"]?["groupMember"]?["localDisplayName"]?.stringValue == "petra")
            try #require(stored["content"]?["type"]?.stringValue == (fullDelete ? "rcvModerated" : "rcvMsgContent"))
            try await group.close()
            await slow.end(.kill)
        }
    }
}

extension Implementation {
    /// Who reads, for the table.
    fileprivate var asReader: String { self == .official ? "by the official client" : "by Parley" }
}
