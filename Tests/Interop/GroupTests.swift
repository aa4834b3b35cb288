import ChatProtocol
import Testing

extension Interop {
    /// Groups in which both implementations take part, each of them as the host.
    @Suite struct Groups {
        @Test(arguments: Meeting.allCases)
        func `A group is joined by its link, its members connect, and each message comes once`(_ way: Meeting) async throws {
            try await seen("group joined by its link, members connected, messages", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                for speaker in group.parties {
                    let text = "written by \(speaker.name)"
                    try await group.say(text, as: speaker)
                    for listener in group.parties where listener.name != speaker.name { try await group.hear(text, as: listener) }
                }
                for party in group.parties {
                    let texts = try await group.texts(at: party)
                    try #require(Set(texts).count == texts.count, "\(texts)")
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A contact is invited and joins`(_ way: Meeting) async throws {
            try await seen("group by invitation", "hosted \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, _) = try await encounter.connect()
                try await encounter.host.send(#"/_group 1 {"displayName":"team","fullName":""}"#)
                try await encounter.host.send("/_add #1 \(host.contact) admin")
                try await encounter.guest.event("receivedGroupInvitation")
                try await encounter.guest.send("/_join #1")
                try await encounter.guest.event("userJoinedGroup")
                try await encounter.host.event("joinedGroupMember")
                let group = Gathering(router: encounter.router, host: encounter.host, guest: encounter.guest, third: encounter.guest, link: "")
                try await group.say("welcome", as: group.host)
                try await group.hear("welcome", as: group.guest)
                try await group.say("thank you", as: group.guest)
                try await group.hear("thank you", as: group.host)
                let members = try await group.members(at: group.host)
                try #require(members["gustav"]?["memberRole"]?.stringValue == "admin")
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Edits, quotes, reactions and deletions reach the members`(_ way: Meeting) async throws {
            try await seen("group: edit, quote, reaction, deletion", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.join(group.guest)
                for (one, other) in [(group.host, group.guest), (group.guest, group.host)] {
                    let text = "frist by \(one.name)"
                    let sent = try await group.say(text, as: one)
                    let heard = try await group.hear(text, as: other)
                    let received = try #require(heard.itemID)
                    try await one.send(#"/_update item #1 \#(sent) json {"msgContent":{"type":"text","text":"first by \#(one.name)"},"mentions":{}}"#)
                    _ = try await group.item("chatItemUpdated", as: other) { $0.itemText == "first by \(one.name)" }
                    try await other.send(#"/_reaction #1 \#(received) on {"type":"emoji","emoji":"👍"}"#)
                    try await one.event("chatItemReaction") { $0["reaction"]?["chatReaction"]?["chatItem"]?.itemID == sent ? true : nil }
                    try await group.say("answer to \(one.name)", as: other, quoting: received)
                    let answer = try await group.hear("answer to \(one.name)", as: one)
                    try #require(answer["quotedItem"]?["chatDir"]?["type"]?.stringValue == "groupSnd")
                    try await one.send("/_delete item #1 \(sent) broadcast")
                    try await other.event("chatItemsDeleted")
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Roles, blocks, moderation and removals hold at all members`(_ way: Meeting) async throws {
            try await seen("group: role, block, moderation, removal, leaving", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                let guest = try await group.memberID("gustav", at: group.host), third = try await group.memberID("petra", at: group.host)
                try await group.host.send("/_member role #1 \(guest) moderator")
                try await group.guest.event("memberRole")
                try await group.third.event("memberRole")
                let blocked = try await group.memberID("petra", at: group.guest)
                try await group.guest.send("/_block #1 \(blocked) blocked=on")
                try await group.host.event("memberBlockedForAll")
                try await group.guest.send("/_block #1 \(blocked) blocked=off")
                try await group.host.event("memberBlockedForAll") { $0["blocked"]?.boolValue == false ? true : nil }
                try await group.say("bad words", as: group.third)
                let heard = try await group.hear("bad words", as: group.guest)
                let item = try #require(heard.itemID)
                _ = try await group.hear("bad words", as: group.host)
                try await group.guest.send("/_delete member item #1 \(item)")
                for party in [group.host, group.third] {
                    try await party.event("chatItemsDeleted") { event in
                        event["chatItemDeletions"]?[0]?["toChatItem"]?["chatItem"]?["meta"]?["itemDeleted"]?["type"]?.stringValue == "moderated" ? true : nil
                    }
                }
                try await group.host.send("/_remove #1 \(third)")
                try await group.third.event("deletedMemberUser")
                try await group.guest.event("deletedMember")
                try await group.guest.send("/_leave #1")
                try await group.host.event("leftMember")
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Who waits for admission talks to the moderators, and is let in`(_ way: Meeting) async throws {
            try await seen("group: admission with review, support chat", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way, profile: ["memberAdmission": ["review": "all"]])
                try await group.join(group.guest)
                let waiting = try await group.memberID("gustav", at: group.host)
                let members = try await group.members(at: group.host)
                try #require(members["gustav"]?["memberStatus"]?.stringValue == "pending_review")
                try await group.say("who are you?", as: group.host, scope: "(_support:\(waiting))")
                try await group.hear("who are you?", as: group.guest)
                try await group.say("I am gustav", as: group.guest, scope: "(_support)")
                try await group.hear("I am gustav", as: group.host)
                try await group.host.send("/_accept member #1 \(waiting) member")
                try await group.guest.event("userJoinedGroup")
                try await group.say("hello", as: group.guest)
                try await group.hear("hello", as: group.host)
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `One who joins gets the welcome message and what was written before`(_ way: Meeting) async throws {
            try await seen("group: welcome message and history", "hosted \(way.who)", through: way.router) {
                let profile: JSONObject = ["description": "Be kind.", "groupPreferences": ["history": ["enable": "on"]]]
                let group = try await Gathering.prepare(way, profile: profile)
                for number in 1...3 { try await group.say("message \(number)", as: group.host) }
                try await group.join(group.guest)
                for text in ["message 1", "message 2", "message 3", "Be kind."] { try await group.hear(text, as: group.guest) }
                let texts = try await group.texts(at: group.guest)
                try #require(texts.filter { $0.hasPrefix("message") } == ["message 1", "message 2", "message 3"], "\(texts)")
                try #require(texts.filter { $0 == "Be kind." }.count == 1, "\(texts)")
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A member who is away gets the messages of one who joined meanwhile`(_ way: Meeting) async throws {
            try await seen("group: messages forwarded between members that are not connected yet", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.join(group.guest)
                try await group.guest.leave()
                try await group.join(group.third)
                try await group.say("you have not met me", as: group.third)
                try await group.hear("you have not met me", as: group.host)
                try await group.guest.comeBack()
                try await group.hear("you have not met me", as: group.guest)
                try await group.guest.event("connectedToGroupMember")
                try await group.say("now we have", as: group.third)
                try await group.hear("now we have", as: group.guest)
                let texts = try await group.texts(at: group.guest)
                try #require(texts.filter { $0 == "you have not met me" }.count == 1 && texts.filter { $0 == "now we have" }.count == 1, "\(texts)")
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A business address opens a chat with its customer`(_ way: Meeting) async throws {
            try await seen("business address, customer, welcome message", "of a business \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let link = try await encounter.host.address()
                let settings: JSONValue = [
                    "businessAddress": true, "autoAccept": ["acceptIncognito": false], "autoReply": ["type": "text", "text": "How can I help?"],
                ]
                try await encounter.host.send("/_address_settings 1 \(settings.text)")
                try await encounter.guest.send("/c \(link.full)")
                try await encounter.host.event("acceptingBusinessRequest")
                let group = Gathering(router: encounter.router, host: encounter.host, guest: encounter.guest, third: encounter.guest, link: "")
                try await group.hear("How can I help?", as: group.guest)
                try await encounter.guest.event("userJoinedGroup")
                try await group.say("It is broken.", as: group.guest)
                try await group.hear("It is broken.", as: group.host)
                try await group.say("We repair it.", as: group.host)
                try await group.hear("We repair it.", as: group.guest)
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Members become contacts`(_ way: Meeting) async throws {
            try await seen("contact made from a member of a group", "by a member, hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way, profile: ["groupPreferences": ["directMessages": ["enable": "on"]]])
                try await group.joinAll()
                let member = try await group.memberID("petra", at: group.guest)
                let made = try await group.guest.send("/_create member contact #1 \(member)")
                let contact = try #require(made["contact"]?["contactId"]?.intValue)
                try await group.guest.send("/_invite member contact @\(contact) text between us")
                let known = try await group.third.event("newMemberContactReceivedInv") { $0["contact"]?["contactId"]?.intValue }
                try await group.third.send("/_accept member contact @\(known)")
                let one = Side(party: group.guest, contact: contact), other = Side(party: group.third, contact: known)
                try await other.hear("between us")
                _ = try await (group.guest.event("contactConnected"), group.third.event("contactConnected"))
                try await converse(one, other, "directly")
                try await group.close()
            }
        }
    }
}
