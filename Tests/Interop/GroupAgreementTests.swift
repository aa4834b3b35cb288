import ChatProtocol
import Testing

extension Interop {
    /// Members of both implementations side by side, who read the same.
    @Suite struct GroupAgreement {
        @Test(arguments: Meeting.allCases)
        func `Both show the same after edits, reactions, blocks, deletions and a removal`(_ way: Meeting) async throws {
            try await seen("group: the same conversation at readers of both", "hosted \(way.who), a member of the other one writing", through: way.router) {
                let scene = try await AgreementScene.prepare(way)
                let (group, host, writer) = (scene.group, scene.group.host, scene.writer)

                let edited = try await scene.say("frist", as: writer)
                for text in ["first", "the first"] { try await group.edit(edited.id, to: text, as: writer) }
                let liked = try await scene.say("like it", as: writer)
                for emoji in ["👍", "🚀"] { try await scene.react(emoji, to: liked, as: host) }
                try await scene.react("👍", to: liked, as: host, isAdded: false)
                try await scene.fence(host)
                try await scene.react("👍", to: liked, as: writer)

                let moderated = try await scene.say("bad", as: writer)
                try await host.send("/_delete member item #1 \(moderated[host.name])")
                try await scene.fence(host)
                try await writer.event("chatItemsDeleted")
                await #expect(throws: (any Error).self, "an edit of what is moderated") {
                    try await group.edit(moderated.id, to: "still bad", as: writer)
                }

                let deleted = try await scene.say("not meant", as: writer)
                try await scene.react("👍", to: deleted, as: host)
                try await scene.fence(host)
                try await writer.send("/_delete item #1 \(deleted.id) broadcast")
                try await scene.fence(writer)

                let live = try await scene.say("li", as: writer, options: " live=on")
                try await group.edit(live.id, to: "live", as: writer, options: " live=on")
                try await writer.send("/_delete item #1 \(live.id) broadcast")
                try await scene.say("hour", as: writer, options: " ttl=3600")
                try await scene.say("@hanna and @petra", as: writer, mentioning: ["hanna", "petra"])
                try await host.send("/_forward #1 #1 \(liked[host.name])")
                try await scene.fence(host)

                // The writer goes on while it is blocked.
                let asked = try await scene.say("well?", as: host)
                try await host.send("/_block #1 \(try await group.memberID(writer.name, at: host)) blocked=on")
                try await scene.fence(host)
                try await group.edit(liked.id, to: "like it, please", as: writer)
                try await scene.react("👍", to: asked, as: writer)
                let hidden = try await scene.say("@petra, hidden", as: writer, quoting: asked, mentioning: ["petra"])
                try await group.edit(hidden.id, to: "hidden again", as: writer)
                try await writer.send("/_delete item #1 \(edited.id) broadcast")
                try await scene.fence(writer)
                try await host.send("/_block #1 \(try await group.memberID(writer.name, at: host)) blocked=off")
                try await scene.fence(host)
                try await group.edit(hidden.id, to: "hidden no more", as: writer)
                try await scene.say("free", as: writer, quoting: hidden)

                try await host.send("/_remove #1 \(try await group.memberID(writer.name, at: host))")
                try await scene.fence(host)
                try await group.say("what it wrote", as: host, quoting: liked[host.name])
                try await scene.fence(host)
                // A Parley reader follows neither an edit nor a deletion nor a reaction of a member who is blocked for all: what is in sight stays
                // as it was before the block. An official reader follows all three.
                try await scene.requireAgreement(besides: [
                    .init("the first", parley: "deleted:-/-", official: "deleted:deleted/-"),
                    .init("like it", asEdited: "like it, please", parley: "edited:false", official: "edited:true"),
                    .init("well?", parley: "reactions:[]", official: #"reactions:["👍1"]"#),
                ])
                try await scene.close()
            }
        }
    }
}

/// A message that the two implementations show differently.
private struct Difference {
    /// The text at a Parley and at an official reader.
    let texts: [Implementation: String]
    /// A part of the line of the message, at both.
    let parts: [Implementation: String]

    init(_ text: String, asEdited changed: String? = nil, parley: String, official: String) {
        texts = [.parley: text, .official: changed ?? text]
        parts = [.parley: parley, .official: official]
    }

    func fits(_ line: String, at implementation: Implementation) -> Bool {
        texts[implementation].map { line.contains(#""text":"\#($0)"}"#) } == true
    }
}

/// A group with two readers, one of each implementation, a writer, and the host who governs.
private struct AgreementScene {
    let group: Gathering
    let writer: any Party
    private let fences = Counter()

    var readers: [any Party] { [group.guest, group.third] }

    /// A message with the ids of its item at all.
    struct Message {
        let id: Int64
        private let ids: [String: Int64]

        init(id: Int64, _ ids: [String: Int64]) { (self.id, self.ids) = (id, ids) }
        subscript(name: String) -> Int64 { ids[name] ?? 0 }
    }

    private actor Counter {
        private var count = 0
        func next() -> Int {
            count += 1
            return count
        }
    }

    static func prepare(_ way: Meeting) async throws -> AgreementScene {
        let group = try await Gathering.prepare(way)
        try await group.joinAll()
        return AgreementScene(group: group, writer: try await group.welcome("otto", way.host.other))
    }

    /// Writes to the group, and waits until all have it.
    @discardableResult
    func say(
        _ text: String, as party: any Party, quoting quoted: Message? = nil, mentioning names: [String] = [], options: String = ""
    ) async throws -> Message {
        let id = try await group.say(text, as: party, quoting: quoted.map { $0[party.name] }, mentioning: names, options: options)
        var ids = [party.name: id]
        for other in group.parties + [writer] where other.name != party.name { ids[other.name] = try await group.hear(text, as: other).itemID }
        return Message(id: id, ids)
    }

    /// Waits until the readers have all that a party has sent.
    func fence(_ party: any Party) async throws {
        let text = "fence \(await fences.next())"
        try await group.say(text, as: party)
        for reader in readers { try await group.hear(text, as: reader) }
    }

    func react(_ emoji: String, to message: Message, as party: any Party, isAdded: Bool = true) async throws {
        try await party.send(#"/_reaction #1 \#(message[party.name]) \#(isAdded ? "on" : "off") {"type":"emoji","emoji":"\#(emoji)"}"#)
    }

    /// Checks that the readers show the same, but for some messages.
    func requireAgreement(besides differences: [Difference]) async throws {
        var common: [[String]] = []
        for reader in readers {
            var lines = try await lines(at: reader)
            for difference in differences {
                let index = try #require(lines.firstIndex { difference.fits($0, at: reader.implementation) })
                let line = lines.remove(at: index)
                #expect(difference.parts[reader.implementation].map(line.contains) == true, "\(reader.implementation): \(line)")
            }
            // The quote of the message that was edited has its text there.
            common.append(lines.map { $0.replacing("quote:like it, please/", with: "quote:like it/") })
        }
        try #require(common[0] == common[1])
    }

    private func lines(at party: any Party) async throws -> [String] {
        try await group.items(at: party).filter { $0["content"]?["type"]?.stringValue == "rcvMsgContent" }.map { item in
            let meta = item["meta"], deletion = meta?["itemDeleted"], quote = item["quotedItem"]
            let isEdited = meta?["itemEdited"]?.boolValue == true
            // The official client forgets why an item is hidden when the author edits it.
            let kind = deletion?["type"]?.stringValue.map { $0 == "blockedByAdmin" && isEdited ? "deleted" : $0 }
            func name(_ member: JSONValue?) -> String { member?["memberProfile"]?["displayName"]?.stringValue ?? "-" }
            let mentions = (item["mentions"]?.objectValue?.members ?? []).map(\.key).sorted()
            let reactions = (item["reactions"]?.arrayValue ?? []).map { "\($0["reaction"]?["emoji"]?.stringValue ?? "?")\($0["totalReacted"]?.intValue ?? 0)" }
            return [
                name(item["chatDir"]?["groupMember"]), item.itemText ?? "-", item["content"]?["msgContent"]?.text ?? "-",
                "deleted:\(kind ?? "-")/\(name(deletion?["byGroupMember"]))",
                "edited:\(isEdited)", "live:\(meta?["itemLive"]?.boolValue == true)",
                "ttl:\(meta?["itemTimed"]?["ttl"]?.intValue ?? 0)", "forwarded:\(meta?["itemForwarded"]?["type"]?.stringValue ?? "-")",
                "mentions:\(mentions)", "reactions:\(reactions.sorted())",
                "quote:\(quote?["content"]?["text"]?.stringValue ?? "-")/\(quote?["itemId"] != nil)/\(name(quote?["chatDir"]?["groupMember"]))",
            ].joined(separator: " ")
        }
    }

    func close() async throws {
        try await group.close()
        try await writer.leave()
    }
}
