import ChatProtocol
import Testing

extension Interop {
    /// Members who are called by their names in messages to a group.
    @Suite struct GroupMentions {
        @Test(arguments: Meeting.allCases)
        func `All who are mentioned in a message are called, and nobody else is`(_ way: Meeting) async throws {
            try await seen("group: members mentioned in a message", "hosted \(way.who)", through: way.router) {
                let (group, fourth) = try await Self.four(way)
                let all = group.parties + [fourth]
                for speaker in [group.host, group.guest] {
                    let listeners = all.filter { $0.name != speaker.name }
                    for called in [listeners, [listeners[0]], [listeners[1]]] {
                        let names = called.map(\.name)
                        let text = "to " + names.map { "@\($0)" }.joined(separator: " ") + " from \(speaker.name)"
                        let sent = try await group.say(text, as: speaker, mentioning: names)
                        let own = try await group.shown(sent, at: speaker)
                        try #require(own.mentioned == Set(names))
                        for listener in listeners {
                            let heard = try await group.hear(text, as: listener)
                            try #require(heard.mentioned == Set(names), "whom \(listener.name) sees mentioned")
                            try #require(heard.callsReader == names.contains(listener.name), "what \(listener.name) is told")
                            try #require(heard["formattedText"] == own["formattedText"])
                        }
                    }
                }
                // Each of these three is mentioned twice by a speaker at most.
                for party in all {
                    let calls = try await group.items(at: party).count(where: \.callsReader)
                    try #require(try await group.counts(at: party)["unreadMentions"]?.intValue == Int64(calls), "what \(party.name) counts")
                }
                try await group.close()
                try await fourth.leave()
            }
        }

        // Who was called when the message came stays called, and an edit calls nobody.
        @Test(arguments: Meeting.allCases)
        func `An edited message mentions others, and calls nobody anew`(_ way: Meeting) async throws {
            try await seen("group: mentions of an edited message", "hosted \(way.who)", through: way.router) {
                let (group, fourth) = try await Self.four(way)
                let all = group.parties + [fourth]
                for speaker in [group.host, group.guest] {
                    let listeners = all.filter { $0.name != speaker.name }
                    let (before, after) = (listeners.prefix(2).map(\.name), [listeners[2].name])
                    let text = before.map { "@\($0)" }.joined(separator: " ") + " of \(speaker.name)"
                    let sent = try await group.say(text, as: speaker, mentioning: before)
                    for listener in listeners { try await group.hear(text, as: listener) }
                    let changed = "@\(after[0]) instead, of \(speaker.name)"
                    try await group.edit(sent, to: changed, as: speaker, mentioning: after)
                    for listener in listeners {
                        let item = try await group.item("chatItemUpdated", as: listener) { $0.itemText == changed }
                        try #require(item.mentioned == Set(after), "whom \(listener.name) sees mentioned")
                        try #require(try await group.shown(item.itemID, at: listener).mentioned == Set(after))
                        try #require(item.callsReader == before.contains(listener.name), "what \(listener.name) is told")
                    }
                    try #require(try await group.shown(sent, at: speaker).mentioned == Set(after))
                }
                try await group.close()
                try await fourth.leave()
            }
        }

        /// A group with two members of each implementation, all connected.
        private static func four(_ way: Meeting) async throws -> (Gathering, fourth: any Party) {
            let group = try await Gathering.prepare(way)
            try await group.joinAll()
            return (group, try await group.welcome("otto", way.host.other))
        }
    }
}

extension JSONValue {
    /// The names that a chat item mentions, each of a member that is known.
    fileprivate var mentioned: Set<String> {
        Set((self["mentions"]?.objectValue?.members ?? []).compactMap { $0.value["memberRef"]?["displayName"]?.stringValue })
    }
    /// Whether a chat item mentions the one who reads it.
    fileprivate var callsReader: Bool { self["meta"]?["userMention"]?.boolValue == true }
}
