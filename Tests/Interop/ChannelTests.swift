import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import TestSupport
import Testing

extension Interop {
    /// Channels whose owner, relays and subscribers are of both implementations. Subscribers are always one of each.
    @Suite struct Channels {
        @Test(arguments: ChannelWay.allCases)
        func `A channel is made, subscribed to, posted in, changed, left and deleted`(_ way: ChannelWay) async throws {
            let server = try await Stage.shared.router(way.router).address
            let channel = try await seen("channel made over a relay, history, subscribed to by link", way) {
                let channel = try await Broadcast.prepare(ownedBy: way.owner, relayedBy: [way.relay], server: server)
                try await channel.post("written before")
                try await channel.subscribeAll()
                for party in channel.subscribers { try await channel.hear("written before", as: party) }
                return channel
            }
            try await seen("channel: posts in its name and in the owner's, in order", way) { try await postInOrder(channel) }
            try await seen("channel: post edited, post deleted", way) { try await change(channel) }
            try await seen("channel: reactions of subscribers, shown to the owner and to each other", way) { try await react(channel) }
            try await seen("channel: signed actions verified: role, block, profile", way) { try await sign(channel) }
            try await seen("channel: a subscriber leaves, one is removed", way) { try await part(channel) }
            try await seen("channel deleted by its owner", way) {
                let late = try await way.owner.other.party("lena", servers: [server])
                try await channel.subscribe(late)
                try await late.event("userJoinedGroup")
                try await channel.owner.send("/_delete #1 full notify=on")
                for party in [late, channel.relays[0]] {
                    try await party.event("groupDeleted") { $0["msgSigned"]?.stringValue == "verified" ? true : nil }
                }
                try await late.leave()
            }
            try await channel.close()
        }

        private func postInOrder(_ channel: Broadcast) async throws {
            let texts = (1...10).map { "post \($0)" }
            for (number, text) in texts.enumerated() { try await channel.post(text, asChannel: number % 2 == 0) }
            for party in channel.subscribers {
                try await channel.hear(texts[9], as: party)
                let received = try await channel.items(at: party).filter(\.isReceived).suffix(10)
                try #require(received.compactMap(\.itemText) == texts)
                let directions = received.compactMap { $0["chatDir"]?["type"]?.stringValue }
                try #require(directions == texts.indices.map { $0 % 2 == 0 ? "channelRcv" : "groupRcv" })
            }
        }

        private func change(_ channel: Broadcast) async throws {
            let edited = try await channel.post("frist"), deleted = try await channel.post("second", asChannel: false)
            for party in channel.subscribers { try await channel.hear("second", as: party) }
            try await channel.owner.send(#"/_update item #1 \#(edited) json {"msgContent":{"type":"text","text":"first"},"mentions":{}}"#)
            try await channel.owner.send("/_delete item #1 \(deleted) broadcast")
            for party in channel.subscribers {
                try await party.event("chatItemUpdated") { $0["chatItem"]?["chatItem"]?.itemText == "first" ? true : nil }
                try await party.event("chatItemsDeleted")
                let texts = try await channel.texts(at: party)
                try #require(texts.contains("first") && !texts.contains("frist"), "\(texts)")
            }
        }

        private func react(_ channel: Broadcast) async throws {
            let post = try await channel.post("do you like it?")
            for party in channel.subscribers {
                let item = try #require(try await channel.hear("do you like it?", as: party).itemID)
                try await party.send(##"/_reaction #1 \##(item) on {"type":"emoji","emoji":"👍"}"##)
            }
            for party in channel.subscribers + [channel.owner] {
                try await eventually("\(party.name) counts both reactions", within: .seconds(60), every: .milliseconds(100)) {
                    let item = try await channel.items(at: party).first { $0.itemText == "do you like it?" }
                    return item?["reactions"]?[0]?["totalReacted"]?.intValue == 2
                }
            }
            let known = try await channel.owner.send(##"/_reaction members 1 #1 \##(post) {"type":"emoji","emoji":"👍"}"##)
            try #require(known["memberReactions"]?.arrayValue?.count == 2)
        }

        private func sign(_ channel: Broadcast) async throws {
            func verified(_ type: String, at parties: [any Party]) async throws {
                for party in parties { try await party.event(type) { $0["msgSigned"]?.stringValue == "verified" ? true : nil } }
            }
            let others: [any Party] = channel.subscribers + channel.relays
            let writer = channel.subscribers[0], reader = channel.subscribers[1]
            let id = try await channel.memberID(writer.name, at: channel.owner)
            try await channel.owner.send("/_member role #1 \(id) member")
            try await verified("memberRole", at: others)
            try await writer.send(#"/_send #1 json [{"msgContent":{"type":"text","text":"by a subscriber"},"mentions":{}}]"#)
            for party in [channel.owner, reader] { try await channel.hear("by a subscriber", as: party) }
            try await channel.owner.send("/_block #1 \(id) blocked=on")
            try await verified("memberBlockedForAll", at: [reader] + channel.relays)
            var profile = Broadcast.profile
            profile["description"] = "Daily."
            let current = try await channel.owner.send("/_info #1")["groupInfo"]?["groupProfile"]
            profile["publicGroup"] = current?["publicGroup"]
            try await channel.owner.send("/_group_profile #1 \(JSONValue.object(profile).text)")
            try await verified("groupUpdated", at: others)
            for party in others {
                let shown = try await party.send("/_info #1")["groupInfo"]?["groupProfile"]
                try #require(shown?["description"]?.stringValue == "Daily." && shown?["publicGroup"] == profile["publicGroup"], "\(shown?.text ?? "")")
            }
        }

        private func part(_ channel: Broadcast) async throws {
            let removed = channel.subscribers[0], leaving = channel.subscribers[1]
            let id = try await channel.memberID(removed.name, at: channel.owner)
            try await leaving.send("/_leave #1")
            for party in [channel.owner, channel.relays[0]] {
                try await party.event("leftMember") { $0["member"]?["memberProfile"]?["displayName"]?.stringValue == leaving.name ? true : nil }
            }
            try await channel.owner.send("/_remove #1 \(id) messages=off")
            try await removed.event("deletedMemberUser") { $0["msgSigned"]?.stringValue == "verified" ? true : nil }
            try await channel.post("nobody is there")
            try await channel.hear("nobody is there", as: channel.relays[0])
            for party in channel.subscribers { try #require(try await !channel.texts(at: party).contains("nobody is there")) }
        }

        /// One relay of each make. `PARLEY_POSTS` sets the number of posts.
        @Test(arguments: RelayKill.allCases)
        func `Two relays deliver each post once and in order, with one of them killed in the midst`(_ way: RelayKill) async throws {
            let count = ProcessInfo.processInfo.environment["PARLEY_POSTS"].flatMap { Int($0) } ?? 20
            let server = try await Stage.shared.router(way.router).address
            let channel = try await Broadcast.prepare(ownedBy: way.owner, relayedBy: [way.victim, way.victim.other], server: server)
            try await channel.subscribeAll()
            try await seen("channel over two relays of different make: each post once", way.who, through: way.router) {
                let texts = (1...3).map { "both \($0)" }
                for text in texts { try await channel.post(text) }
                try await expect(texts, channel)
            }
            let victim = channel.relays[0]
            let kill = "channel over two relays of different make: posts once and in order, \(way.victim) relay killed and started again"
            try await seen(kill, way.who, through: way.router) {
                let texts = (1...count).map { "post \($0)" }
                for text in texts.prefix(count / 3) { try await channel.post(text) }
                await victim.kill()
                for text in texts[(count / 3)..<(2 * count / 3)] { try await channel.post(text) }
                try await victim.comeBack()
                for text in texts[(2 * count / 3)...] { try await channel.post(text) }
                try await expect(texts, channel)
                // The relay that was away has caught up when it has the last post; what it passes on then is there already.
                try await channel.hear(texts[count - 1], as: victim, within: .seconds(120))
                try await channel.post("the end")
                for party in channel.subscribers { try await channel.hear("the end", as: party) }
                try await expect(texts + ["the end"], channel)
            }
            try await channel.close()
        }

        private func expect(_ texts: [String], _ channel: Broadcast) async throws {
            for party in channel.subscribers {
                try await eventually("\(party.name) has \(texts.last ?? "")", within: .seconds(120), every: .milliseconds(100)) {
                    try await channel.texts(at: party, count: texts.count + 60).contains(texts.last ?? "")
                }
                let received = try await channel.texts(at: party, count: texts.count + 20)
                try #require(received.suffix(texts.count) == texts[...], "\(party.name): \(received)")
                try #require(Set(received).count == received.count, "\(party.name): \(received)")
            }
        }

        @Test(arguments: RelayKill.allCases.filter { $0.owner != $0.victim })
        func `Who subscribes while one of two relays is dead has the posts of the other`(_ way: RelayKill) async throws {
            let who = "\(way.who), \(way.victim) relay dead"
            try await seen("channel subscribed to while one of two relays and its router are dead, connected with it later", who, through: way.router) {
                let server = try await Stage.shared.router(way.router).address
                let dying = try await way.router.router()
                let channel = try await Broadcast.prepare(
                    ownedBy: way.owner, relayedBy: [way.victim.other, way.victim], server: server, lastRelay: dying.address)
                await channel.relays[1].kill()
                await dying.end(.interrupt)
                for party in channel.subscribers {
                    let results = try await channel.subscribe(party)
                    try #require(results.count == 2 && results.count { $0["relayError"] == nil } == 1, "\(results.map(\.text))")
                    try await party.event("userJoinedGroup")
                }
                try await channel.post("by one relay")
                for party in channel.subscribers { try await channel.hear("by one relay", as: party) }
                try await dying.run()
                try await channel.relays[1].comeBack()
                for party in channel.subscribers { try await channel.untilConnected(party, with: 2) }
                try await channel.post("by both relays")
                for party in channel.subscribers { try await channel.hear("by both relays", as: party) }
                for party in channel.subscribers {
                    let texts = try await channel.texts(at: party)
                    try #require(texts == ["by one relay", "by both relays"], "\(texts)")
                }
                await dying.end(.kill)
                try await channel.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `A relay passes the test of an owner, and a person's address does not`(_ way: Meeting) async throws {
            try await seen("relay tested by an owner: key of its address proved; refused for another address", "tested \(way.who)", through: way.router) {
                let server = try await Stage.shared.router(way.router).address
                let owner = try await way.host.party("hanna", servers: [server])
                let relay = try await RelayParty.start(way.host.other, servers: [server])
                let passed = try await owner.send("/_relay test 1 \(relay.address)")
                try #require(passed["relayProfile"]?["displayName"]?.stringValue == relay.name && passed["relayTestFailure"] == nil, "\(passed.text)")
                let person = try await way.host.other.party("petra", servers: [server])
                let failed = try await owner.send("/_relay test 1 \(try #require(try await person.address().short))")
                try #require(failed["relayTestFailure"] != nil, "\(failed.text)")
                for party in [owner, relay, person] { try await party.leave() }
            }
        }
    }
}

/// The makes of the owner and the relay of a channel, and of the router.
struct ChannelWay: Sendable, CustomTestStringConvertible {
    let owner, relay, router: Implementation

    static let allCases = Implementation.allCases.flatMap { router in
        Implementation.allCases.flatMap { owner in Implementation.allCases.map { ChannelWay(owner: owner, relay: $0, router: router) } }
    }

    var who: String { "owner \(owner), relay \(relay)" }
    var testDescription: String { "\(who), \(router) router" }
}

/// The make of the relay that dies, beside one of the other make.
struct RelayKill: Sendable, CustomTestStringConvertible {
    let owner, victim, router: Implementation

    static let allCases = ChannelWay.allCases.map { RelayKill(owner: $0.owner, victim: $0.relay, router: $0.router) }

    var who: String { "owner \(owner)" }
    var testDescription: String { "\(who), \(victim) relay dies, \(router) router" }
}

/// Runs one entry of the table for a channel, and notes how it went.
private func seen<Result>(_ feature: String, _ way: ChannelWay, _ body: () async throws -> Result) async throws -> Result {
    var result: Result?
    try await seen(feature, way.who, through: way.router) { result = try await body() }
    return try #require(result)
}
