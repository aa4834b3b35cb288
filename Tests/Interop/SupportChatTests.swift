import ChatProtocol
import Testing

extension Interop {
    /// What members and moderators write to each other beside the group.
    @Suite struct SupportChats {
        @Test(arguments: Meeting.allCases)
        func `Each moderator counts what a member wrote until it has read that`(_ way: Meeting) async throws {
            try await seen("group: support chat of a member, counts of two moderators", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                try await group.host.send("/_member role #1 \(try await group.memberID("gustav", at: group.host)) moderator")
                _ = try await (group.guest.event("memberRole"), group.third.event("memberRole"))
                for (one, other) in [(group.host, group.guest), (group.guest, group.host)] {
                    for text in ["please help", "it is urgent"].map({ "\($0), \(one.name)" }) {
                        try await group.say(text, as: group.third, scope: "(_support)")
                        for moderator in [one, other] { try await group.hear(text, as: moderator) }
                    }
                    for moderator in [one, other] { try await group.requireSupport(at: moderator, unread: 2, attention: 2) }

                    let subject = try await group.memberID("petra", at: one)
                    try await one.send("/_read chat #1(_support:\(subject))")
                    try await group.requireSupport(at: one, unread: 0, attention: 0)
                    try await group.requireSupport(at: other, unread: 2, attention: 2)

                    try await group.say("\(one.name) helps", as: one, scope: "(_support:\(subject))")
                    let answer = try await group.hear("\(one.name) helps", as: other)
                    try await group.hear("\(one.name) helps", as: group.third)
                    // An answer takes away the attention if it is later than what the member wrote. Routers tell whole seconds.
                    let last = try await group.support(at: other)?["lastMsgFromMemberTs"]?.stringValue
                    let isLater = try #require(answer["meta"]?["itemTs"]?.stringValue) > #require(last)
                    try await group.requireSupport(at: other, unread: 3, attention: isLater ? 0 : 2)

                    try await other.send("/_read chat #1(_support:\(try await group.memberID("petra", at: other)))")
                    try await group.requireSupport(at: other, unread: 0, attention: 0)
                    for (count, command) in [(1, "/_read chat #1(_support)"), (0, nil)] as [(Int64, String?)] {
                        let membership = try await group.third.send("/_members #1")["group"]?["groupInfo"]?["membership"]
                        try #require(membership?["supportChat"]?["unread"]?.intValue == count, "what the member has not read")
                        if let command { try await group.third.send(command) }
                    }
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `An administrator who is not the host lets in one who waits, and sends another away`(_ way: Meeting) async throws {
            try await seen("group: admission decided by an administrator who is not the host", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way, profile: ["memberAdmission": ["review": "all"]])
                let moderator = group.guest
                try await group.join(moderator)
                try await group.host.send("/_accept member #1 \(try await group.memberID("gustav", at: group.host)) admin")
                try await moderator.event("userJoinedGroup")
                let ordinary = try await way.host.other.party("otto", servers: [group.router.address])
                try await group.join(ordinary)
                _ = try await (ordinary.meets(moderator.name), moderator.meets(ordinary.name))
                try await moderator.send("/_accept member #1 \(try await group.memberID("otto", at: moderator)) member")
                try await group.host.event("memberAcceptedByOther")
                try await ordinary.event("userJoinedGroup")

                for (name, isLetIn) in [("petra", true), ("paul", false)] {
                    let waiting = name == "petra" ? group.third : try await way.host.party(name, servers: [group.router.address])
                    try await group.join(waiting)
                    _ = try await (waiting.meets(moderator.name), moderator.meets(name))
                    try await group.say("may I, asks \(name)", as: waiting, scope: "(_support)")
                    for party in [group.host, moderator] { try await group.hear("may I, asks \(name)", as: party) }
                    let id = try await group.memberID(name, at: moderator)
                    try await group.say("who are you, \(name)?", as: moderator, scope: "(_support:\(id))")
                    for party in [group.host, waiting] { try await group.hear("who are you, \(name)?", as: party) }
                    try #require(try await group.members(at: ordinary)[name] == nil, "those who wait are shown to moderators only")
                    if isLetIn {
                        try await moderator.send("/_accept member #1 \(id) member")
                        try await group.host.event("memberAcceptedByOther")
                        try await waiting.event("userJoinedGroup")
                        _ = try await (waiting.meets(ordinary.name), ordinary.meets(name))
                        try await group.say("thank you, says \(name)", as: waiting)
                        for party in [group.host, moderator, ordinary] { try await group.hear("thank you, says \(name)", as: party) }
                    } else {
                        try await moderator.send("/_remove #1 \(id)")
                        try await waiting.event("deletedMemberUser")
                        try await group.host.event("deletedMember")
                        try #require(try await group.members(at: ordinary)[name] == nil)
                        try await waiting.leave()
                    }
                }
                let texts = try await group.texts(at: ordinary)
                try #require(texts == ["thank you, says petra"])
                try await group.close()
                try await ordinary.leave()
            }
        }
    }
}

extension Gathering {
    /// The counts of the third one's support chat, as a moderator has them.
    fileprivate func support(at moderator: any Party) async throws -> JSONValue? { try await members(at: moderator)["petra"]?["supportChat"] }

    fileprivate func requireSupport(at moderator: any Party, unread: Int64, attention: Int64) async throws {
        let chat = try await support(at: moderator)
        try #require(chat?["unread"]?.intValue == unread, "what \(moderator.name) has")
        try #require(chat?["memberAttention"]?.intValue == attention, "what \(moderator.name) has")
        let asking = try await moderator.send("/_members #1")["group"]?["groupInfo"]?["membersRequireAttention"]?.intValue
        try #require(asking == (attention > 0 ? 1 : 0), "members who ask \(moderator.name) for attention")
    }
}
