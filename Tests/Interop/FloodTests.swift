import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A bot that moderates a group which official clients flood.
///
/// `PARLEY_FLOOD=20x50` has 20 people send 50 messages each; the default is 5x10. It has a time limit of its own, because official clients are slow.
@Suite(
    .enabled(if: PeerProgram.simplexChat.isInstalled && PeerProgram.smpServer.isInstalled, "SIMPLEX_PEERS names no folder with simplex-chat and smp-server"),
    .enabled(if: ParleyProgram.isBuilt, "the executable parley was not built"), .timeLimit(.minutes(60)))
struct FloodTests {
    private struct Size {
        var people = 5
        var messages = 10

        init() throws {
            guard let text = ProcessInfo.processInfo.environment["PARLEY_FLOOD"] else { return }
            let parts = text.split(separator: "x").map { Int($0) ?? 0 }
            try #require(parts.count == 2 && parts.allSatisfy { 1...1_000 ~= $0 }, "PARLEY_FLOOD is a number of people and one of messages: 20x50")
            (people, messages) = (parts[0], parts[1])
        }
    }

    private static let bots = """
        parley: 1
        profiles:
          guard:
            name: Guard
            groups: { hall: { name: Hall } }
            rules:
              - id: bad
                when: { pattern: "casino", chat: group }
                then: { moderate: true }
        """

    @Test func eachBadMessageOfAFloodIsModeratedOnceAndNoOther() async throws {
        let size = try Size(), total = size.people * size.messages
        let server = try await Implementation.parley.router()
        let folder = try ScratchFolder("parley-flood"), port = try LoopbackPort.free()
        try Self.bots.write(toFile: folder.path + "/bots.yaml", atomically: true, encoding: .utf8)
        let bot = try ParleyProgram.start(
            ["run", folder.path + "/bots.yaml", "--data", folder.path + "/data", "--server", server.address, "--metrics-port", "\(port.number)"],
            log: folder.path + "/bot.log")
        _ = try await bot.output.first("the group", within: .seconds(60)) { $0 == "Hall can be joined at" ? true : nil }
        let link = try await bot.output.first("its link", within: .seconds(60)) { line in
            line.firstMatch(of: /(https:\/\/|simplex:)\S+/).map { String($0.0) }
        }

        var people: [any Party] = []
        for number in 1...size.people {
            let person = try await Implementation.official.party("person\(number)", servers: [server.address])
            try await person.send("/c \(link)")
            try await person.event("userJoinedGroup")
            people.append(person)
        }
        let all = people
        // Everybody is connected with everybody: members connect in the background.
        for person in all {
            try await eventually("\(person.name) is connected with all", within: .seconds(600), every: .milliseconds(500)) {
                try await person.readyMembers() >= size.people
            }
        }

        let began = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for person in all {
                group.addTask {
                    for number in 1...size.messages { try await person.say("casino \(number) of \(person.name)", in: "#1") }
                    try await person.say("peace of \(person.name)", in: "#1")
                }
            }
            try await group.waitForAll()
        }
        let bad = Set(all.flatMap { person in (1...size.messages).map { "casino \($0) of \(person.name)" } })
        let good = Set(all.map { "peace of \($0.name)" })
        for person in all {
            try await eventually("\(person.name) has \(total) deletions", within: .seconds(1_800), every: .seconds(1)) {
                let texts = try await person.messages(2 * total + 100)
                return texts.moderated.count >= total && texts.kept.count >= good.count
            }
        }
        print("\(total) messages of \(size.people) people moderated everywhere after \(ContinuousClock.now - began)")
        for person in all {
            let texts = try await person.messages(2 * total + 100)
            #expect(texts.moderated.count == total && Set(texts.moderated) == bad, "\(person.name)")
            #expect(Set(texts.kept) == good && texts.kept.count == good.count, "\(person.name): \(texts.kept)")
        }
        let (page, _) = try await URLSession.shared.data(from: #require(URL(string: "http://127.0.0.1:\(port.number)/metrics")))
        let counts = String(decoding: page, as: UTF8.self).split(separator: "\n").filter {
            $0.hasPrefix("parley_effects_total{") && $0.contains(#"effect="moderate""#)
        }
        #expect(counts.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } } == [Double(total)], "\(counts)")
        for person in all { try await person.leave() }
        await bot.stop()
        await server.end(.kill)
    }
}

extension Party {
    /// The number of members of the first group with whom there is a ready connection.
    fileprivate func readyMembers() async throws -> Int {
        let members = try await send("/_members #1")["group"]?["members"]?.arrayValue ?? []
        return members.count { $0["activeConn"]?["connStatus"]?["type"]?.stringValue == "ready" }
    }

    /// The texts of the messages of members in the first group: those that a moderator has deleted, and the others.
    fileprivate func messages(_ count: Int) async throws -> (moderated: [String], kept: [String]) {
        let items = try await send("/_get chat #1 count=\(count)")["chat"]?["chatItems"]?.arrayValue ?? []
        var texts: (moderated: [String], kept: [String]) = ([], [])
        for item in items {
            guard ["rcvMsgContent", "sndMsgContent"].contains(item["content"]?["type"]?.stringValue), let text = item.itemText else { continue }
            if item["meta"]?["itemDeleted"]?["type"]?.stringValue == "moderated" { texts.moderated.append(text) } else { texts.kept.append(text) }
        }
        return texts
    }
}
