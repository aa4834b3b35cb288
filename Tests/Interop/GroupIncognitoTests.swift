import ChatProtocol
import TestSupport
import Testing

extension Interop {
    /// Members whom the others know by a random name only.
    @Suite struct GroupIncognito {
        @Test(arguments: Meeting.allCases)
        func `Who joins incognito is known by a random name`(_ way: Meeting) async throws {
            try await seen("group: joined incognito", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.join(group.guest, isIncognito: true)
                try await group.join(group.third)
                _ = try await (group.guest.event("connectedToGroupMember"), group.third.event("connectedToGroupMember"))
                try await group.requireHidden(group.guest, from: [group.host, group.third])
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Whom an incognito contact invites joins under the name of that contact`(_ way: Meeting) async throws {
            try await seen("group: joined by the invitation of a contact, incognito, invited again", "hosted \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = (encounter.host, encounter.guest)
                try await guest.send("/c incognito \(try await host.invitation().full)")
                let contact = try await host.event("contactConnected") { $0["contact"] }
                try await guest.event("contactConnected")
                let alias = try #require(contact["profile"]?["displayName"]?.stringValue)
                let id = try #require(contact["contactId"]?.intValue)
                try await host.send(#"/_group 1 {"displayName":"team","fullName":""}"#)
                // The second invitation is with another role.
                for role in ["member", "admin"] {
                    try await host.send("/_add #1 \(id) \(role)")
                    let invitation = try await guest.event("receivedGroupInvitation")
                    try #require(invitation["memberRole"]?.stringValue == role)
                }
                try await guest.send("/_join #1")
                try await guest.event("userJoinedGroup")
                try await host.event("joinedGroupMember")
                let group = Gathering(router: encounter.router, host: host, guest: guest, third: guest, link: "")
                try await group.requireHidden(guest, from: [host])
                for party in [host, guest] {
                    let info = try await party.send("/_members #1")["group"]
                    let all = (info?["members"]?.arrayValue ?? []) + [info?["groupInfo"]?["membership"]].compactMap(\.self)
                    let member = all.first { $0["memberProfile"]?["displayName"]?.stringValue == alias }
                    try #require(all.count == 2 && member?["memberRole"]?.stringValue == "admin", "what \(party.name) has")
                }
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Who makes a group incognito is known by a random name`(_ way: Meeting) async throws {
            try await seen("group: created incognito", way.who, through: way.router) {
                let group = try await Gathering.prepare(way, isIncognito: true)
                try await group.joinAll()
                try await group.requireHidden(group.host, from: [group.guest, group.third])
                try await group.close()
            }
        }
    }
}

extension Gathering {
    /// Checks that a member has the same random name for all others, and that what it calls itself does not reach them, even when it changes that.
    fileprivate func requireHidden(_ hidden: any Party, from others: [any Party]) async throws {
        let membership = try await hidden.send("/_members #1")["group"]?["groupInfo"]?["membership"]
        let alias = try #require(membership?["memberProfile"]?["displayName"]?.stringValue)
        try #require(alias != hidden.name)
        for (index, other) in others.enumerated() {
            let before = "to \(other.name), after \(index) changes"
            try await say(before, as: hidden)
            for listener in others {
                let author = try await hear(before, as: listener)["chatDir"]?["groupMember"]
                try #require(author?["memberProfile"]?["displayName"]?.stringValue == alias, "whom \(listener.name) hears")
                try await say("heard by \(listener.name) \(index)", as: listener)
                try await hear("heard by \(listener.name) \(index)", as: hidden)
            }
            let members = try await members(at: other)
            try #require(members[alias]?["memberProfile"]?["displayName"]?.stringValue == alias, "\(members.keys) at \(other.name)")
            try #require(members.keys.allSatisfy { !$0.hasPrefix(hidden.name) }, "\(members.keys) at \(other.name)")
            try await hidden.send(#"/_profile 1 {"displayName":"\#(hidden.name)-\#(index)","fullName":"the real name"}"#)
        }
        for other in others {
            let whole = try await other.send("/_members #1").text + JSONValue.array(try await items(at: other)).text
            try #require(!whole.contains("the real name") && !whole.contains(hidden.name), "what \(other.name) knows")
        }
    }
}
