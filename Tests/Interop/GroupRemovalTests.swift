import ChatProtocol
import Testing

extension Interop {
    /// Members, owners and groups that go.
    @Suite struct GroupRemovals {
        @Test(arguments: Meeting.allCases)
        func `Who is removed with its messages leaves only marks of them`(_ way: Meeting) async throws {
            try await seen("group: member removed with its messages", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                try await group.host.send("/_member role #1 \(try await group.memberID("gustav", at: group.host)) admin")
                _ = try await (group.guest.event("memberRole"), group.third.event("memberRole"))
                let fourth = try await group.welcome("otto", way.host.other)
                for (remover, removed, reader) in [(group.host, fourth, group.guest), (group.guest, group.third, group.host)] {
                    let texts = (1...2).map { "spam \($0) by \(removed.name)" }
                    for text in texts {
                        try await group.say(text, as: removed)
                        for party in [remover, reader] { try await group.hear(text, as: party) }
                    }
                    try await group.say("what is this?", as: reader)
                    try await remover.send("/_remove #1 \(try await group.memberID(removed.name, at: remover)) messages=on")
                    let deletion = try await reader.event("deletedMember")
                    try #require(deletion["withMessages"]?.boolValue == true)
                    try #require(deletion["deletedMember"]?["localDisplayName"]?.stringValue == removed.name)
                    let own = try await removed.event("deletedMemberUser")
                    try #require(own["withMessages"]?.boolValue == true)
                    for party in [remover, reader, removed] {
                        for item in try await group.items(at: party) where texts.contains(item.itemText ?? "") || item.itemText == "what is this?" {
                            let mark = item["meta"]?["itemDeleted"]?["type"]?.stringValue
                            try #require(mark == (item.itemText == "what is this?" ? nil : "moderated"), "\(item.itemText ?? "") at \(party.name)")
                        }
                        try #require(Set(try await group.texts(at: party)).isSuperset(of: texts), "what \(party.name) has")
                    }
                }
                try await group.close()
                try await fourth.leave()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A group that its owner deletes is deleted for all, also for who was away`(_ way: Meeting) async throws {
            try await seen("group: deleted by its owner, a member away", way.who, through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                try await group.guest.leave()
                try await group.host.send("/_delete #1")
                try await group.third.event("groupDeleted")
                try await group.guest.comeBack()
                try await group.guest.event("groupDeleted")
                for party in [group.guest, group.third] {
                    let membership = try await party.send("/_members #1")["group"]?["groupInfo"]?["membership"]
                    try #require(membership?["memberStatus"]?.stringValue == "deleted", "what \(party.name) has")
                    await #expect(throws: (any Error).self, "\(party.name)") { try await group.say("is anybody here?", as: party) }
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `An owner hands the group over and leaves`(_ way: Meeting) async throws {
            try await seen("group: handed over to another owner, who invites by its own link", "\(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                let (heir, third) = (group.guest, group.third)
                try await group.host.send("/_member role #1 \(try await group.memberID("gustav", at: group.host)) owner")
                _ = try await (heir.event("memberRole"), third.event("memberRole"))
                try await group.host.send("/_leave #1")
                _ = try await (heir.event("leftMember"), third.event("leftMember"))

                try await heir.send(#"/_group_profile #1 {"displayName":"crew","fullName":""}"#)
                let update = try await third.event("groupUpdated")
                try #require(update["toGroup"]?["groupProfile"]?["displayName"]?.stringValue == "crew")
                let made = try await heir.send("/_create link #1 member")
                let link = try #require(made["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue)
                for (name, implementation) in [("otto", way.host), ("paula", way.host.other)] {
                    let newcomer = try await implementation.party(name, servers: [group.router.address])
                    try await newcomer.send("/c \(link)")
                    try await newcomer.event("userJoinedGroup")
                    _ = try await (third.meets(name), newcomer.meets(third.name))
                    for (speaker, listeners) in [(newcomer, [heir, third]), (heir, [newcomer, third]), (third, [newcomer, heir])] {
                        let text = "\(speaker.name) when \(name) is there"
                        try await group.say(text, as: speaker)
                        for listener in listeners { try await group.hear(text, as: listener) }
                    }
                    try await newcomer.leave()
                }
                try await group.close()
            }
        }
    }
}
