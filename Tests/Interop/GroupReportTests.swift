import ChatProtocol
import Testing

extension Interop {
    /// Messages that members report to the moderators.
    @Suite struct GroupReports {
        @Test(arguments: Meeting.allCases)
        func `A report goes to all moderators, and to nobody else`(_ way: Meeting) async throws {
            try await seen("group: report to two moderators", "hosted \(way.who)", through: way.router) {
                let scene = try await ReportScene.prepare(way)
                for (author, reporter) in scene.members {
                    let report = try await scene.report("spam by \(author.name)", by: author, from: reporter)
                    for moderator in scene.moderators {
                        let item = report[moderator.name]
                        try #require(item?["content"]?["msgContent"]?["reason"]?.stringValue == "spam")
                        try #require(item?["content"]?["msgContent"]?["text"]?.stringValue == "what \(reporter.name) thinks")
                        try #require(item?["quotedItem"]?["content"]?["text"]?.stringValue == "spam by \(author.name)")
                        try #require(item?["chatDir"]?["groupMember"]?["localDisplayName"]?.stringValue == reporter.name)
                    }
                }
                for moderator in scene.moderators {
                    try #require(try await scene.group.counts(at: moderator)["reportsCount"]?.intValue == 2, "what \(moderator.name) counts")
                    let listed = try await moderator.send("/_get chat #1 content=report count=10")["chat"]?["chatItems"]?.arrayValue
                    let texts = listed?.compactMap { $0["content"]?["msgContent"]?["text"]?.stringValue }
                    try #require(texts == scene.members.map { "what \($0.reporter.name) thinks" }, "the list of \(moderator.name)")
                }
                // What a member has read after the reports has come behind them.
                try await scene.group.say("carry on", as: scene.group.host)
                for (author, reporter) in scene.members {
                    try await scene.group.hear("carry on", as: author)
                    let items = try await scene.group.items(at: author)
                    try #require(!JSONValue.array(items).text.contains("what \(reporter.name) thinks"), "what \(author.name) has")
                    try #require(try await scene.group.counts(at: author)["reportsCount"]?.intValue == 0, "what \(author.name) counts")
                }
                try await scene.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A report is archived at all moderators when one of them deletes the message`(_ way: Meeting) async throws {
            try await seen("group: report archived with the moderated message", "hosted \(way.who)", through: way.router) {
                let scene = try await ReportScene.prepare(way)
                for ((author, reporter), (one, other)) in zip(scene.members, scene.turns) {
                    let report = try await scene.report("spam by \(author.name)", by: author, from: reporter)
                    let spam = try #require(report[one.name]?["quotedItem"]?["itemId"]?.intValue)
                    try await one.send("/_delete member item #1 \(spam)")
                    for (moderator, isOwn) in [(one, true), (other, false)] {
                        let archived = try #require(report[moderator.name]?.itemID)
                        try await moderator.event("groupChatItemsDeleted") { event in
                            let ids = event["chatItemIDs"]?.arrayValue?.compactMap(\.intValue)
                            return ids == [archived] && event["byUser"]?.boolValue == isOwn ? true : nil
                        }
                        try #require(try await scene.group.counts(at: moderator)["reportsCount"]?.intValue == 0, "what \(moderator.name) counts")
                    }
                }
                try await scene.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A moderator archives reports for itself, and deletes them for the others, too`(_ way: Meeting) async throws {
            try await seen("group: reports archived by one moderator, deleted for both", "hosted \(way.who)", through: way.router) {
                let scene = try await ReportScene.prepare(way)
                for ((author, reporter), (one, other)) in zip(scene.members, scene.turns) {
                    let first = try await scene.report("spam by \(author.name)", by: author, from: reporter)
                    let archived = try await one.send("/_archive reports #1")
                    try #require(archived["chatItemIDs"]?.arrayValue?.compactMap(\.intValue) == [try #require(first[one.name]?.itemID)])
                    try #require(try await scene.group.counts(at: one)["reportsCount"]?.intValue == 0)
                    try #require(try await scene.group.counts(at: other)["reportsCount"]?.intValue == 1)
                    try await other.send("/_archive reports #1")

                    let second = try await scene.report("more spam by \(author.name)", by: author, from: reporter)
                    let deleted = try #require(second[one.name]?.itemID), remote = try #require(second[other.name]?.itemID)
                    try await one.send("/_delete reports #1 \(deleted) broadcast")
                    let deletion = try await other.event("chatItemsDeleted") { event in
                        event["chatItemDeletions"]?.arrayValue?.first { $0["deletedChatItem"]?["chatItem"]?.itemID == remote }
                    }
                    let mark = deletion["toChatItem"]?["chatItem"]?["meta"]?["itemDeleted"]
                    try #require(mark?["type"]?.stringValue == "moderated" && mark?["byGroupMember"]?["localDisplayName"]?.stringValue == one.name)
                    for moderator in scene.moderators {
                        try #require(try await scene.group.counts(at: moderator)["reportsCount"]?.intValue == 0, "what \(moderator.name) counts")
                    }
                }
                try await scene.close()
            }
        }
    }
}

/// A group with two moderators and two ordinary members, one of each implementation.
private struct ReportScene {
    let group: Gathering
    let fourth: any Party

    var moderators: [any Party] { [group.host, group.guest] }
    /// Both ways of who does something first.
    var turns: [(any Party, any Party)] { [(group.host, group.guest), (group.guest, group.host)] }
    /// The ordinary members: the author of a message, and the one who reports it.
    var members: [(author: any Party, reporter: any Party)] { [(fourth, group.third), (group.third, fourth)] }

    static func prepare(_ way: Meeting) async throws -> ReportScene {
        let group = try await Gathering.prepare(way)
        try await group.joinAll()
        try await group.host.send("/_member role #1 \(try await group.memberID("gustav", at: group.host)) moderator")
        _ = try await (group.guest.event("memberRole"), group.third.event("memberRole"))
        return ReportScene(group: group, fourth: try await group.welcome("otto", way.host.other))
    }

    /// Has a message written and reported.
    ///
    /// - Returns: The report, by the name of the moderator who has it.
    func report(_ text: String, by author: any Party, from reporter: any Party) async throws -> [String: JSONValue] {
        try await group.say(text, as: author)
        for moderator in moderators { try await group.hear(text, as: moderator) }
        let item = try #require(try await group.hear(text, as: reporter).itemID)
        try await reporter.send("/_report #1 \(item) reason=spam what \(reporter.name) thinks")
        var reports: [String: JSONValue] = [:]
        for moderator in moderators {
            reports[moderator.name] = try await group.item("newChatItems", as: moderator) { item in
                item["content"]?["msgContent"]?["type"]?.stringValue == "report" && item["quotedItem"]?["content"]?["text"]?.stringValue == text
            }
        }
        return reports
    }

    func close() async throws {
        try await group.close()
        try await fourth.leave()
    }
}
