import ChatProtocol
import Testing

extension Interop {
    /// What the host passes on between members that are not connected to each other yet.
    @Suite struct GroupForwarding {
        @Test(arguments: Meeting.allCases)
        func `Edits, reactions and deletions are passed on, and come once`(_ way: Meeting) async throws {
            try await seen("group: edit, reaction, deletion forwarded before the members connect", "hosted \(way.who)", through: way.router) {
                try await Self.withStrangers(way) { group, author, reader in
                    let liked = try #require(try await group.hear("welcome", as: author).itemID)
                    try await author.send(#"/_reaction #1 \#(liked) on {"type":"emoji","emoji":"👍"}"#)
                    let edited = try await group.say("frist", as: author)
                    try await group.edit(edited, to: "first", as: author)
                    let deleted = try await group.say("too much", as: author)
                    try await author.send("/_delete item #1 \(deleted) broadcast")
                    try await group.say("last", as: author)
                    try await group.hear("last", as: group.host)

                    try await reader.comeBack()
                    try await group.hear("last", as: reader)
                    _ = try await (reader.meets(author.name), author.meets(reader.name))
                    try await group.say("at last we meet", as: author)
                    try await group.hear("at last we meet", as: reader)

                    let items = try await group.items(at: reader)
                    let texts = items.filter { $0.isReceived }.compactMap(\.itemText)
                    try #require(texts == ["welcome", "first", "too much", "last", "at last we meet"])
                    func item(_ text: String) throws -> JSONValue { try #require(items.first { $0.itemText == text }) }
                    try #require(try item("welcome")["reactions"]?[0]?["reaction"]?["emoji"]?.stringValue == "👍")
                    try #require(try item("first")["meta"]?["itemEdited"]?.boolValue == true)
                    try #require(try item("too much")["meta"]?["itemDeleted"]?["type"]?.stringValue == "deleted")
                    for (text, isForwarded) in [("first", true), ("last", true), ("at last we meet", false)] {
                        try #require((try item(text)["meta"]?["forwardedByMember"] != nil) == isForwarded, "\(text)")
                    }
                }
            }
        }

        @Test(arguments: Meeting.allCases)
        func `One who wrote and left before others came back is known to them as one who left`(_ way: Meeting) async throws {
            try await seen("group: message and leave forwarded before the members connect", "hosted \(way.who)", through: way.router) {
                try await Self.withStrangers(way) { group, author, reader in
                    try await group.say("not for me", as: author)
                    try await group.hear("not for me", as: group.host)
                    try await author.send("/_leave #1")
                    try await group.host.event("leftMember")

                    try await reader.comeBack()
                    let heard = try await group.hear("not for me", as: reader)
                    try #require(heard["chatDir"]?["groupMember"]?["localDisplayName"]?.stringValue == author.name)
                    let left = try await reader.event("leftMember")
                    try #require(left["member"]?["localDisplayName"]?.stringValue == author.name)
                    for party in [group.host, reader] {
                        let member = try await group.members(at: party)[author.name]
                        try #require(member == nil || member?["memberStatus"]?.stringValue == "left", "what \(party.name) knows")
                    }
                    try await group.say("good bye", as: group.host)
                    try await group.hear("good bye", as: reader)
                }
            }
        }

        /// Has one join a group while another member is away, in both ways of who that is.
        private static func withStrangers(
            _ way: Meeting, _ body: (Gathering, _ author: any Party, _ reader: any Party) async throws -> Void
        ) async throws {
            for isGuestAway in [true, false] {
                let group = try await Gathering.prepare(way, profile: ["groupPreferences": ["history": ["enable": "off"]]])
                let (reader, author) = isGuestAway ? (group.guest, group.third) : (group.third, group.guest)
                try await group.join(reader)
                try await reader.leave()
                try await group.join(author)
                try await group.say("welcome", as: group.host)
                try await body(group, author, reader)
                try await group.close()
            }
        }
    }
}
