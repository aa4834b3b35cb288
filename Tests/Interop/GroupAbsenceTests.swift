import ChatProtocol
import TestSupport
import Testing

extension Interop {
    /// Members who are away while the group changes.
    @Suite struct GroupAbsence {
        @Test(arguments: Meeting.allCases)
        func `Who was away agrees with the others about roles and members`(_ way: Meeting) async throws {
            try await seen("group: roles and removals while a member is away", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                let fourth = try await group.welcome("otto", way.host.other)
                let host = group.host, guest = group.guest

                try await guest.leave()
                try await group.change("petra", to: "moderator", by: host)
                try await group.change("gustav", to: "admin", by: host)
                try await host.send("/_remove #1 \(try await group.memberID("otto", at: host))")
                try await fourth.event("deletedMemberUser")
                try await guest.comeBack()
                _ = try await (guest.event("memberRole"), guest.event("memberRole"), guest.event("deletedMember"))
                try await group.requireAgreement(["hanna": "owner", "petra": "moderator", "gustav": "admin"])

                try await host.leave()
                try await group.change("petra", to: "observer", by: guest)
                try await host.comeBack()
                try await host.event("memberRole")
                try await group.requireAgreement(["hanna": "owner", "petra": "observer", "gustav": "admin"])
                for (speaker, listener) in [(host, guest), (guest, host)] {
                    try await group.say("we agree, \(speaker.name)", as: speaker)
                    try await group.hear("we agree, \(speaker.name)", as: listener)
                }
                await #expect(throws: (any Error).self, "an observer") { try await group.say("may I?", as: group.third) }
                try await group.close()
                try await fourth.leave()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A member's new name is known to all, also to who was away`(_ way: Meeting) async throws {
            try await seen("group: new name of a member, another one away", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                for (renamed, present, absent) in [(group.guest, group.third, group.host), (group.host, group.third, group.guest)] {
                    try await absent.leave()
                    let name = "\(renamed.name)-2"
                    try await renamed.send(#"/_profile 1 {"displayName":"\#(name)","fullName":""}"#)
                    // Members are told with the next message.
                    try await group.say("call me \(name)", as: renamed)
                    try await group.hear("call me \(name)", as: present)
                    try await absent.comeBack()
                    try await group.hear("call me \(name)", as: absent)
                    for party in [present, absent] {
                        let before = try await party.event("groupMemberUpdated") { event in
                            event["toMember"]?["memberProfile"]?["displayName"]?.stringValue == name
                                ? event["fromMember"]?["memberProfile"]?["displayName"]?.stringValue : nil
                        }
                        try #require(before == renamed.name, "what \(party.name) is told")
                        try #require(try await group.members(at: party)[name] != nil, "what \(party.name) has")
                        let event = try await group.items(at: party).first { $0["content"]?["rcvGroupEvent"]?["type"]?.stringValue == "memberProfileUpdated" }
                        try #require(event != nil, "what \(party.name) shows")
                    }
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Who was removed while away learns that, and reads nothing more`(_ way: Meeting) async throws {
            try await seen("group: removed while away", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                let guest = group.guest
                try await group.say("before", as: group.host)
                for party in [guest, group.third] { try await group.hear("before", as: party) }
                try await guest.leave()
                try await group.host.send("/_remove #1 \(try await group.memberID("gustav", at: group.host))")
                try await group.third.event("deletedMember")
                try await group.say("after", as: group.host)
                try await group.hear("after", as: group.third)
                try await guest.comeBack()
                let removal = try await guest.event("deletedMemberUser")
                try #require(removal["member"]?["localDisplayName"]?.stringValue == "hanna")
                let membership = try await guest.send("/_members #1")["group"]?["groupInfo"]?["membership"]
                try #require(membership?["memberStatus"]?.stringValue == "removed")
                try #require(try await group.texts(at: guest) == ["before"])
                await #expect(throws: (any Error).self, "one who was removed") { try await group.say("may I?", as: guest) }
                for party in [group.host, group.third] { try #require(try await group.roles(at: party)["gustav"] == nil) }
                try await group.close()
            }
        }
    }
}

extension Gathering {
    /// Gives a member another role, and waits until the third one knows it.
    fileprivate func change(_ name: String, to role: String, by party: any Party) async throws {
        try await party.send("/_member role #1 \(try await memberID(name, at: party)) \(role)")
        try await third.event("memberRole") { event in
            event["toRole"]?.stringValue == role ? true : nil
        }
    }

    /// The roles of those who are in the group, by name.
    fileprivate func roles(at party: any Party) async throws -> [String: String] {
        let group = try await party.send("/_members #1")["group"]
        let all = (group?["members"]?.arrayValue ?? []) + [group?["groupInfo"]?["membership"]].compactMap(\.self)
        let current = all.filter { !["removed", "left", "deleted"].contains($0["memberStatus"]?.stringValue) }
        return Dictionary(
            current.compactMap { member in
                guard let name = member["memberProfile"]?["displayName"]?.stringValue else { return nil }
                return member["memberRole"]?.stringValue.map { (name, $0) }
            }, uniquingKeysWith: { $1 })
    }

    /// Checks that the three know the same members, in the same roles.
    fileprivate func requireAgreement(_ expected: [String: String]) async throws {
        for party in parties { try #require(try await roles(at: party) == expected, "what \(party.name) has") }
    }
}
