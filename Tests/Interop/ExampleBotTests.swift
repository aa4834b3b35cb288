import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import Testing

extension Interop {
    /// The example bots, with official clients as their users.
    @Suite struct ExampleBots {
        @Test(arguments: Implementation.allCases) func `Guard warns members and removes them`(_ router: Implementation) async throws {
            try await seen("GuardBot: a member warned twice, then removed with its messages", "official members of its group", through: router) {
                let server = try await Stage.shared.router(router)
                let bot = try ExampleProgram("GuardBot", server: server.address, environment: ["GUARD_WORDS": "casino", "GUARD_PENALTY": "remove"])
                let link = try await bot.link(below: "Guarded can be joined at")
                let olga = try await Implementation.official.party("olga", servers: [server.address])
                let petra = try await Implementation.official.party("petra", servers: [server.address])
                for party in [olga, petra] {
                    try await party.send("/c \(link)")
                    try await party.event("userJoinedGroup")
                }
                try await petra.say("good morning", in: "#1")
                try await olga.hear("good morning")
                for warning in 1...2 {
                    try await olga.say("CASINO \(warning)", in: "#1")
                    try await olga.event("chatItemsDeleted") { $0.isModeration ? true : nil }
                    try await petra.hear("olga, that is against the rules (\(warning) of 2 warnings)")
                }
                try await olga.say("casino 3", in: "#1")
                try await olga.event("deletedMemberUser")
                try await petra.event("deletedMember")
                try await petra.say("peace", in: "#1")
                let texts = try await petra.receivedTexts(in: "#1")
                try #require(!texts.contains { $0.lowercased().hasPrefix("casino") }, "\(texts)")
                for party in [olga, petra] { try await party.leave() }
                await bot.stop()
            }
        }

        @Test(arguments: Implementation.allCases) func `SupportDesk brings customers and colleagues together`(_ router: Implementation) async throws {
            try await seen("SupportDesk: a customer greeted, a colleague added, both talk", "official customer and colleague", through: router) {
                let server = try await Stage.shared.router(router)
                let bot = try ExampleProgram("SupportDesk", server: server.address, environment: ["DESK_INVITE": "1", "DESK_HOURS": "1-7 00:00-24:00"])
                let address = try await bot.link(below: "Support Desk can be reached at")
                let invitation = try await bot.process.output.first("an invitation", within: .seconds(60)) { line in
                    line.hasPrefix("For one colleague: ") ? String(line.dropFirst("For one colleague: ".count)) : nil
                }
                let clara = try await Implementation.official.party("clara", servers: [server.address])
                try await clara.send("/c \(invitation)")
                try await clara.hear("You are a colleague now")
                let carl = try await Implementation.official.party("carl", servers: [server.address])
                try await carl.send("/c \(address)")
                try await carl.hear("Welcome! One moment, please.")
                try await carl.hear("Hello carl! A colleague will be with you soon.")
                try await clara.event("receivedGroupInvitation")
                try await clara.send("/_join #1")
                try await clara.event("userJoinedGroup")
                try await carl.say("It is broken.", in: "#1")
                try await clara.hear("It is broken.")
                try await clara.say("I repair it.", in: "#1")
                try await carl.hear("I repair it.")
                for party in [clara, carl] { try await party.leave() }
                await bot.stop()
            }
        }

        @Test(arguments: Implementation.allCases) func `A group goes through the directory`(_ router: Implementation) async throws {
            try await seen(
                "DirectoryBot: a group submitted, approved, found and joined with a captcha, hidden when it changes", "official owner, admin and newcomer",
                through: router
            ) {
                let server = try await Stage.shared.router(router)
                let bot = try ExampleProgram("DirectoryBot", server: server.address, environment: ["DIRECTORY_ADMINS": "adam"])
                let address = try await bot.link(below: "Directory can be reached at")
                let invitation = try await bot.link(below: "adam can connect once, as a trusted contact, at")
                let adam = try await (try await Implementation.official.party("adam", servers: [server.address])).meet(invitation, "Directory")
                let olga = try await (try await Implementation.official.party("olga", servers: [server.address])).meet(address, "Directory")
                try await olga.party.send(#"/_group 1 {"displayName":"tea","fullName":"","shortDescr":"green","memberAdmission":{"review":"all"}}"#)
                try await olga.party.send("/_add #1 \(olga.contact) admin")
                let joined = try await olga.party.hear("I have joined tea")
                let number = try #require(joined.firstMatch(of: /\/confirm (\d+)/)?.1)
                try await olga.say("/confirm \(number)")
                try await adam.party.hear("/approve \(number).1")
                try await adam.say("/approve \(number).1")
                try await olga.party.hear("tea is listed now.")
                try await olga.say("/filter \(number) captcha")
                try await olga.party.hear("New members of tea: captcha.")

                try await adam.say("GREEN")
                let found = try await adam.party.hear("tea (2 members)")
                try await adam.party.send("/c \(try #require(found.split(separator: "\n").last))")
                try await adam.party.event("userJoinedGroup")
                let question = try await adam.party.hear("To be admitted, please answer")
                try await adam.party.say("\(try #require(Self.answer(to: question)))", in: "#1(_support)")
                try await adam.party.event("userJoinedGroup")
                try await adam.party.say("hello", in: "#1")
                try await olga.party.hear("hello")

                try await olga.party.send(#"/_group_profile #1 {"displayName":"tea","fullName":"","shortDescr":"coffee"}"#)
                try await adam.party.hear("/approve \(number).2")
                try await adam.say("coffee")
                try await adam.party.hear("I know no such group.")
                for side in [adam, olga] { try await side.party.leave() }
                await bot.stop()
            }
        }

        @Test(arguments: Implementation.allCases) func `Posts of a bot reach subscribers through a relay`(_ router: Implementation) async throws {
            try await seen(
                "RelayBot, ChannelPoster and CommentModerator: entries of a feed and posts of a contact in channels; an answer moderated",
                "official poster and subscriber",
                through: router
            ) {
                let server = try await Stage.shared.router(router), folder = try ScratchFolder("feed")
                let feed = folder.path + "/feed.xml"
                try #"<rss version="2.0"><channel><item><title>Snow</title><link>https://example.org/1</link></item></channel></rss>"#
                    .write(toFile: feed, atomically: true, encoding: .utf8)
                let relay = try ExampleProgram("RelayBot", server: server.address, environment: ["RELAY_CHANNELS": "2"])
                let relays = try await relay.link(below: "Relay can be reached at")
                let poster = try ExampleProgram(
                    "ChannelPoster", server: server.address, environment: ["FEED_URL": feed, "CHANNEL_NAME": "Weather", "CHANNEL_RELAYS": relays])
                let weather = try await poster.link(below: "Weather can be joined at")
                let moderator = try ExampleProgram(
                    "CommentModerator", server: server.address,
                    environment: ["MODERATOR_POSTER": "pablo", "MODERATOR_WORDS": "casino", "CHANNEL_RELAYS": relays])
                let news = try await moderator.link(below: "News can be joined at")
                _ = try await moderator.link(below: "News moderator can be reached at")
                let invitation = try await moderator.link(below: "pablo can connect once, as a trusted contact, at")

                let olga = try await Implementation.official.party("olga", servers: [server.address])
                try await olga.subscribe(to: weather)
                try await olga.hear("Snow\nhttps://example.org/1")
                try await olga.subscribe(to: news)
                let pablo = try await (try await Implementation.official.party("pablo", servers: [server.address])).meet(invitation, "News moderator")
                try await pablo.say("Hello to all")
                let post = try await olga.item(ofText: "Hello to all")

                try await pablo.say("/writers")
                let writers = try await pablo.party.hear(" olga")
                let number = try #require(writers.split(separator: "\n").first { $0.hasSuffix(" olga") }?.split(separator: " ").first)
                try await pablo.say("/writer \(number)")
                try await pablo.hear("olga can write now.")
                try await olga.event("memberRole") { _ in true }
                try await olga.say("Nice!", in: "#\(post.group)", quoting: post.item)
                try await olga.say("casino", in: "#\(post.group)", quoting: post.item)
                try await olga.event("chatItemsDeleted") { $0.isModeration ? true : nil }
                try await olga.hear("olga, that word is not used here.")
                for party in [olga, pablo.party] { try await party.leave() }
                for bot in [moderator, poster, relay] { await bot.stop() }
            }
        }

        /// The answer to the question of a captcha: one number is a word, the other is in digits.
        private static func answer(to question: String) -> Int? {
            let words = [
                "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
                "seventeen", "eighteen", "nineteen",
            ]
            guard let sum = question.firstMatch(of: /how much is (\w+) plus (\d+)\?/), let left = words.firstIndex(of: String(sum.1)), let right = Int(sum.2)
            else { return nil }
            return left + 2 + right
        }
    }
}

extension Party {
    /// Subscribes to a channel by its link, as the apps do it: the plan, the channel, its relays.
    fileprivate func subscribe(to link: String) async throws {
        let plan = try await send("/_connect plan 1 \(link)")
        let created = try #require(plan["connLink"] ?? plan["connectionLink"]), ok = try #require(plan["connectionPlan"]?["groupLinkPlan"])
        let data = try #require(ok["groupSLinkData_"] ?? ok["groupSLinkData"])
        let text = [created["connFullLink"]?.stringValue, created["connShortLink"]?.stringValue].compactMap(\.self).joined(separator: " ")
        let prepared = try await send("/_prepare group 1 \(text) direct=off \(data.text)")
        let group = try #require(prepared["chat"]?["chatInfo"]?["groupInfo"]?["groupId"]?.intValue)
        try await send("/_connect group #\(group) incognito=off")
    }

    /// Waits until a text has come in a group.
    ///
    /// - Returns: the ids of the group and the item.
    fileprivate func item(ofText text: String) async throws -> (group: Int64, item: Int64) {
        try await event("newChatItems") { event in
            event["chatItems"]?.arrayValue?.lazy.compactMap { entry in
                guard let item = entry["chatItem"], item.isReceived, item.itemText == text, let id = item.itemID,
                    let group = entry["chatInfo"]?["groupInfo"]?["groupId"]?.intValue
                else { return nil }
                return (group, id)
            }.first
        }
    }

    /// The texts of a chat that came from others and are not deleted, oldest first.
    fileprivate func receivedTexts(in chat: String) async throws -> [String] {
        let items = try await send("/_get chat \(chat) count=50")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.filter { $0.isReceived && $0["meta"]?["itemDeleted"] == nil }.compactMap(\.itemText)
    }
}

extension JSONValue {
    /// True for an event that tells of a message that a moderator has deleted.
    fileprivate var isModeration: Bool {
        self["chatItemDeletions"]?[0]?["toChatItem"]?["chatItem"]?["meta"]?["itemDeleted"]?["type"]?.stringValue == "moderated"
    }
}
