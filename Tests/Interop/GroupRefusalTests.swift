import ChatProtocol
import ProcessSupport
import Testing

extension Interop {
    /// What members may not do.
    @Suite struct GroupRefusals {
        @Test(arguments: Meeting.allCases)
        func `Both refuse the same, in each role`(_ way: Meeting) async throws {
            try await seen("group: what members, observers and moderators may not do, refused alike", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                try await group.say("well?", as: group.host)
                var items: [String: Int64] = [:]
                for member in group.members { items[member.name] = try await group.hear("well?", as: member).itemID }
                try await group.forbidAll()
                for role in ["member", "observer", "moderator"] {
                    if role != "member" { try await group.giveAll(role) }
                    var refusals: [[String]] = []
                    for member in group.members { refusals.append(try await group.refusals(to: member, as: role, item: items[member.name] ?? 0)) }
                    try #require(refusals[0] == refusals[1], "of a \(role)")
                    try #require(refusals[0].count > 10, "of a \(role)")
                }
                try await group.beginSupport()
                try await group.close()
            }
        }
    }
}

extension Gathering {
    /// One of each implementation.
    fileprivate var members: [any Party] { [guest, third] }

    /// Switches off all that a group can do without.
    fileprivate func forbidAll() async throws {
        let features = ["reactions", "voice", "files", "simplexLinks", "reports", "support", "directMessages", "timedMessages", "fullDelete"]
        let preferences = JSONObject(features.map { ($0, ["enable": "off"]) })
        let profile: JSONValue = ["displayName": "team", "fullName": "", "groupPreferences": .object(preferences)]
        try await host.send("/_group_profile #1 \(profile.text)")
        for member in members { try await member.event("groupUpdated") }
    }

    /// Gives both the same role, and waits until both know the roles of both.
    fileprivate func giveAll(_ role: String) async throws {
        for changed in members {
            try await host.send("/_member role #1 \(try await memberID(changed.name, at: host)) \(role)")
            for member in members { try await member.event("memberRole") }
        }
    }

    /// The one difference: a Parley moderator may begin a support chat where the preference is off. An official one is refused, and shows the message of
    /// the other.
    fileprivate func beginSupport() async throws {
        guard let official = members.first(where: { $0.implementation == .official }), let parley = members.first(where: { $0.implementation == .parley })
        else { return }
        func send(_ text: String, from member: any Party, to other: any Party) async throws {
            let id = try await memberID(other.name, at: member)
            try await member.send(#"/_send #1(_support:\#(id)) json [{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}]"#)
        }
        await #expect(throws: PeerError.self) { try await send("refused", from: official, to: parley) }
        try await send("may I help you?", from: parley, to: official)
        try await hear("may I help you?", as: official)
    }

    /// The commands that a member is refused, with the errors. Those that are carried out are harmless.
    fileprivate func refusals(to member: any Party, as role: String, item: Int64) async throws -> [String] {
        let owner = try await memberID(host.name, at: member)
        let other = try await memberID(members.first { $0.name != member.name }?.name ?? "", at: member)
        func content(_ content: JSONValue) -> String { JSONValue.array([["msgContent": content, "mentions": [:]]]).text }
        let text = content(["type": "text", "text": "help"])
        let link =
            "https://simplex.chat/contact#/?v=1-2&smp=smp%3A%2F%2FAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%3D%40127.0.0.1%2FAAAA%23%2F%3Fv%3D1-3%26dh%3DMCowBQYDK2VuAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%253D"
        let commands: KeyValuePairs = [
            "a reaction": #"/_reaction #1 \#(item) on {"type":"emoji","emoji":"👍"}"#,
            "a contact": "/_create member contact #1 \(other)",
            "a link": "/_send #1 json \(content(["type": "text", "text": .string(link)]))",
            "a voice message": "/_send #1 json \(content(["type": "voice", "text": "", "duration": 3]))",
            "a time to live": "/_send #1 ttl=5 json \(text)",
            "a call for support": "/_send #1(_support) json \(text)",
            "support for another": "/_send #1(_support:\(other)) json \(text)",
            "a report": "/_report #1 \(item) reason=spam no",
            "moderation of the owner": "/_delete member item #1 \(item)",
            "deletion of another's": "/_delete item #1 \(item) broadcast",
            "an edit of another's": #"/_update item #1 \#(item) json {"msgContent":{"type":"text","text":"mine"},"mentions":{}}"#,
            "a role": "/_member role #1 \(other) admin",
            "the owner's role": "/_member role #1 \(owner) member",
            "a block of the owner": "/_block #1 \(owner) blocked=on",
            "a removal": "/_remove #1 \(other)",
            "the profile": #"/_group_profile #1 {"displayName":"mine","fullName":""}"#,
            "a link of the group": "/_create link #1 member",
            "an admission": "/_accept member #1 \(other) member",
            "deletion of what is no report": "/_delete reports #1 \(item) internal",
            "an item that is none": "/_get item info #1 999",
            "a member that is none": "/_info #1 999",
            "a group that is joined": "/_join #1",
        ]
        var refusals: [String] = []
        for (what, command) in commands where role != "moderator" || what != "support for another" {
            do {
                try await member.send(command)
            } catch let error as PeerError where error.code == .refused {
                let fault = error.response?["chatError"]
                let kind = fault?["errorType"] ?? fault?["storeError"]
                refusals.append("\(what): \(kind?["type"]?.stringValue ?? fault?.text ?? "?") \(kind?["message"]?.stringValue ?? "")")
            }
        }
        return refusals
    }
}
