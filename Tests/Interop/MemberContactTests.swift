import ChatProtocol
import ProcessSupport
import Testing

extension Interop {
    /// Contacts that members make of each other.
    @Suite struct MemberContacts {
        // One of the two invitations is joined: that with the greater link, which is a matter of chance.
        @Test(arguments: Meeting.allCases)
        func `Two members who invite each other at once become one contact each`(_ way: Meeting) async throws {
            try await seen("contact made from both sides at once", "by members, hosted \(way.who)", through: way.router) {
                let router = try await way.router.router()
                let group = try await Gathering.prepare(way, profile: ["groupPreferences": ["directMessages": ["enable": "on"]]], on: router)
                try await group.joinAll()
                var sides: [Side] = []
                for (party, other) in [(group.guest, group.third), (group.third, group.guest)] {
                    let made = try await party.send("/_create member contact #1 \(try await group.memberID(other.name, at: party))")
                    sides.append(Side(party: party, contact: try #require(made["contact"]?["contactId"]?.intValue)))
                }
                // Both invitations are under way before either arrives.
                await router.end(.interrupt)
                for side in sides { try await side.party.send("/_invite member contact @\(side.contact) text from \(side.name)") }
                try await router.run()
                var joining: [Side] = []
                for side in sides {
                    let invited = try await side.party.event("newMemberContactReceivedInv") { $0["contact"] }
                    try #require(invited["contactId"]?.intValue == side.contact)
                    if invited["groupDirectInv"] != nil { joining.append(side) }
                }
                try await sides[0].hear("from \(sides[1].name)")
                try await sides[1].hear("from \(sides[0].name)")
                try #require(joining.count == 1, "\(joining.map(\.name))")
                try await joining[0].party.send("/_accept member contact @\(joining[0].contact)")
                for side in sides { try await side.party.event("contactConnected") }
                try await converse(sides[0], sides[1], "directly")
                for side in sides {
                    let contacts = try await side.party.send("/_contacts 1")["contacts"]?.arrayValue ?? []
                    try #require(contacts.count { $0["activeConn"]?["connStatus"]?["type"]?.stringValue == "ready" } == 1, "contacts of \(side.name)")
                }
                try await group.close()
                await router.end(.kill)
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A member who is incognito stays so for contacts made in the group`(_ way: Meeting) async throws {
            try await seen("contact made from a member who is incognito", "by members, hosted \(way.who)", through: way.router) {
                for begins in [true, false] {
                    let group = try await Gathering.prepare(way, profile: ["groupPreferences": ["directMessages": ["enable": "on"]]])
                    try await group.join(group.guest, isIncognito: true)
                    try await group.join(group.third)
                    _ = try await (group.guest.event("connectedToGroupMember"), group.third.event("connectedToGroupMember"))
                    let membership = try await group.guest.send("/_members #1")["group"]?["groupInfo"]?["membership"]
                    let alias = try #require(membership?["memberProfile"]?["displayName"]?.stringValue)

                    let (one, other) = begins ? (group.guest, group.third) : (group.third, group.guest)
                    let member = try await group.memberID(begins ? "petra" : alias, at: one)
                    let made = try await one.send("/_create member contact #1 \(member)")
                    let first = Side(party: one, contact: try #require(made["contact"]?["contactId"]?.intValue))
                    try await one.send("/_invite member contact @\(first.contact) text between us")
                    let known = try await other.event("newMemberContactReceivedInv") { $0["contact"]?["contactId"]?.intValue }
                    let second = Side(party: other, contact: known)
                    try await second.hear("between us")
                    try await other.send("/_accept member contact @\(known)")
                    for side in [first, second] { try await side.party.event("contactConnected") }
                    try await converse(first, second, "directly")

                    try await group.guest.send(#"/_profile 1 {"displayName":"gustav-2","fullName":"the real name"}"#)
                    try await converse(first, second, "after a change of the profile")
                    let hidden = begins ? first : second, seeing = begins ? second : first
                    try #require(try await hidden.record()["activeConn"]?["customUserProfileId"] != nil)
                    let record = try await seeing.record()
                    try #require(record["profile"]?["displayName"]?.stringValue == alias)
                    try #require(!record.text.contains("gustav") && !record.text.contains("the real name"))
                    try await group.close()
                }
            }
        }
    }
}
