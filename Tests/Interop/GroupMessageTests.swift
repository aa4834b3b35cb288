import ChatProtocol
import Testing

extension Interop {
    /// What members do with messages besides writing them.
    @Suite struct GroupMessages {
        @Test(arguments: Meeting.allCases)
        func `A live message grows at all members`(_ way: Meeting) async throws {
            try await seen("group: live message", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                for writer in [group.host, group.guest] {
                    let readers = group.parties.filter { $0.name != writer.name }
                    let sent = try await group.say("li-\(writer.name)", as: writer, options: " live=on")
                    var items: [String: Int64] = [:]
                    for reader in readers {
                        let first = try await group.hear("li-\(writer.name)", as: reader)
                        try #require(first["meta"]?["itemLive"]?.boolValue == true, "what \(reader.name) has")
                        items[reader.name] = first.itemID
                    }
                    for (text, isLive) in [("live mess-\(writer.name)", true), ("live message-\(writer.name)", false)] {
                        try await group.edit(sent, to: text, as: writer, options: " live=\(isLive ? "on" : "off")")
                        for reader in readers {
                            let item = try await group.item("chatItemUpdated", as: reader) { $0.itemText == text }
                            try #require(item.itemID == items[reader.name])
                            try #require((item["meta"]?["itemLive"]?.boolValue ?? false) == isLive, "what \(reader.name) has")
                            try #require(item["meta"]?["itemEdited"]?.boolValue == false, "a live message is not edited while it grows")
                        }
                    }
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A message disappears at its writer and at each reader after its time`(_ way: Meeting) async throws {
            try await seen("group: disappearing messages, of the group and of the writer", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way, profile: ["groupPreferences": ["timedMessages": ["enable": "on", "ttl": 2]]])
                try await group.joinAll()
                for writer in [group.host, group.guest] {
                    let readers = group.parties.filter { $0.name != writer.name }
                    for (options, seconds) in [("", 2), (" ttl=1", 1)] as [(String, Int64)] {
                        let text = "gone in \(seconds), says \(writer.name)"
                        var items = [(writer, try await group.say(text, as: writer, options: options))]
                        for reader in readers {
                            let heard = try await group.hear(text, as: reader)
                            try #require(heard["meta"]?["itemTimed"]?["ttl"]?.intValue == seconds, "what \(reader.name) has")
                            let received = try #require(heard.itemID)
                            // The time begins when it is read.
                            try await reader.send("/_read chat items #1 \(received)")
                            items.append((reader, received))
                        }
                        for (party, id) in items {
                            try await party.event("chatItemsDeleted") { event in
                                let isIt = event["chatItemDeletions"]?.arrayValue?.contains { $0["deletedChatItem"]?["chatItem"]?.itemID == id }
                                return isIt == true && event["timed"]?.boolValue == true ? true : nil
                            }
                        }
                    }
                }
                for party in group.parties { try #require(try await group.texts(at: party) == [], "what \(party.name) has") }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Everybody sees who reacted to a message`(_ way: Meeting) async throws {
            try await seen("group: members who reacted to a message", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                let reaction = #"{"type":"emoji","emoji":"👍"}"#
                for writer in [group.host, group.guest] {
                    let readers = group.parties.filter { $0.name != writer.name }
                    let text = "does \(writer.name) please you?"
                    var items = [writer.name: try await group.say(text, as: writer)]
                    for reader in readers { items[reader.name] = try await group.hear(text, as: reader).itemID }
                    for reader in readers {
                        try await reader.send("/_reaction #1 \(items[reader.name] ?? 0) on \(reaction)")
                        for party in group.parties where party.name != reader.name { try await party.event("chatItemReaction") }
                    }
                    for party in group.parties {
                        let shown = try await group.shown(items[party.name], at: party)["reactions"]?[0]
                        try #require(shown?["totalReacted"]?.intValue == 2, "what \(party.name) sees")
                        try #require(shown?["userReacted"]?.boolValue == (party.name != writer.name), "what \(party.name) sees")
                        let answer = try await party.send("/_reaction members 1 #1 \(items[party.name] ?? 0) \(reaction)")
                        let names = answer["memberReactions"]?.arrayValue?.compactMap { $0["groupMember"]?["memberProfile"]?["displayName"]?.stringValue }
                        try #require(names.map(Set.init) == Set(readers.map(\.name)), "what \(party.name) is told")
                    }
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `One who joins reads the history as it stands`(_ way: Meeting) async throws {
            try await seen("group: history with edits, quotes, mentions and deletions", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way, profile: ["groupPreferences": ["history": ["enable": "on"]]])
                try await group.join(group.guest)
                // Their order is that of the host's times, of which those of received messages are whole seconds.
                var expected: Set<String> = []
                for (writer, other) in [(group.host, group.guest), (group.guest, group.host)] {
                    let edited = try await group.say("frist of \(writer.name)", as: writer)
                    try await group.edit(edited, to: "first of \(writer.name)", as: writer)
                    let received = try await group.item("chatItemUpdated", as: other) { $0.itemText == "first of \(writer.name)" }.itemID
                    try await group.say("@\(writer.name), an answer", as: other, quoting: received, mentioning: [writer.name])
                    try await group.hear("@\(writer.name), an answer", as: writer)
                    let deleted = try await group.say("too much of \(writer.name)", as: writer)
                    try await writer.send("/_delete item #1 \(deleted) broadcast")
                    try await other.event("chatItemsDeleted")
                    expected.insert("\(writer.name): first of \(writer.name) > - @")
                    expected.insert("\(other.name): @\(writer.name), an answer > first of \(writer.name) @\(writer.name)")
                }
                try await group.join(group.third)
                let fourth = try await way.host.other.party("otto", servers: [group.router.address])
                try await group.join(fourth)
                for reader in [group.third, fourth] {
                    for text in ["first of hanna", "@hanna, an answer", "first of gustav", "@gustav, an answer"] { try await group.hear(text, as: reader) }
                    let lines = try await group.items(at: reader).filter(\.isReceived).map { item in
                        let author = item["chatDir"]?["groupMember"]?["memberProfile"]?["displayName"]?.stringValue ?? "?"
                        let mentioned = (item["mentions"]?.objectValue?.members ?? []).map(\.key).joined(separator: ",")
                        return "\(author): \(item.itemText ?? "?") > \(item["quotedItem"]?["content"]?["text"]?.stringValue ?? "-") @\(mentioned)"
                    }
                    try #require(lines.count == expected.count && Set(lines) == expected, "what \(reader.name) has: \(lines)")
                }
                try await group.close()
                try await fourth.leave()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A quote of a message that the reader does not have is shown with its text`(_ way: Meeting) async throws {
            try await seen("group: quote of a message from before the reader joined", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way, profile: ["groupPreferences": ["history": ["enable": "off"]]])
                try await group.join(group.guest)
                let question = try await group.say("who was here first?", as: group.host)
                let received = try #require(try await group.hear("who was here first?", as: group.guest).itemID)
                try await group.join(group.third)
                _ = try await (group.guest.event("connectedToGroupMember"), group.third.event("connectedToGroupMember"))
                let fourth = try await group.welcome("otto", way.host.other)
                for (writer, quoted) in [(group.host, question), (group.guest, received)] {
                    try await group.say("an answer by \(writer.name)", as: writer, quoting: quoted)
                    for reader in [group.third, fourth] {
                        let quote = try #require(try await group.hear("an answer by \(writer.name)", as: reader)["quotedItem"])
                        try #require(quote["content"]?["text"]?.stringValue == "who was here first?", "what \(reader.name) has")
                        try #require(quote["itemId"] == nil, "what \(reader.name) has")
                        try #require(quote["chatDir"]?["type"]?.stringValue == "groupRcv")
                        try #require(quote["chatDir"]?["groupMember"]?["localDisplayName"]?.stringValue == "hanna")
                    }
                }
                try await group.close()
                try await fourth.leave()
            }
        }
    }
}
