import ChatAPI
import Foundation
import Parley
import ParleyTesting
import TestSupport
import Testing

@testable import ParleyRules

/// What a file says of pictures, of files that come on their own, of chats of other profiles and of those who join by a link.
@Suite(.timeLimit(.minutes(5))) struct FileAndJoinerTests {
    private func file(_ profiles: String) throws -> BotsFile { try BotsFile(parsing: "parley: 1\nprofiles:\n" + profiles) }

    @Test func filesAreReceivedOnTheirOwnAndRulesTellThemByTheirType() async throws {
        let bots = try file(
            """
              archive:
                receive-files: { up-to: 50kb }
                rules:
                  - { when: { file: { type: [image/*, application/pdf] } }, then: { reply: A document. } }
                  - { when: { file: { type: text/plain, larger: 3b } }, then: { reply: A text. } }
                  - { when: { file: any }, then: { reply: Something. } }
            """
        ).makeBots()
        #expect(bots.first?.fileReception == FileReception(upTo: 50 << 10))
        try await withBots(bots) { room in
            let ann = try await room.person("Ann")
            for (name, answer) in [
                ("scan.PDF", "A document."), ("a.b.jpeg", "A document."), ("notes.txt", "A text."), (".txt", "Something."), ("program.exe", "Something."),
            ] {
                try await ann.send(file: name, containing: Array("content".utf8))
                try await ann.expect(answer)
            }
            let chat = try #require(await room.bot("archive").chats.all.first)
            try await eventually("all are on this machine") {
                try await room.bot("archive").chat(chat.reference)?.receivedFiles().count == 5
            }
        }
    }

    @Test func aPersonCanSendSoMuchADay() throws {
        let limits = try file("  a: { receive-files: { up-to: 1mb, files-per-day: 5, bytes-per-day: 3mb, refusal: Enough. } }").makeBots()[0].fileReception
        #expect(limits == FileReception(upTo: 1 << 20, filesPerDay: 5, bytesPerDay: 3 << 20, refusal: "Enough."))
    }

    @Test func aMessageIsForwardedIntoAChatOfAnotherProfileOnce() async throws {
        let bots = try file(
            """
              desk:
                rules:
                  - { when: { message: any }, then: { forward: { to: Ben, through: courier } } }
              courier: { name: Courier, trusted-contacts: Ben }
            """
        ).makeBots()
        try await withBots(bots) { room in
            let ben = try await room.person("Ben", trustedAs: "Ben", with: "courier"), ann = try await room.person("Ann", with: "desk")
            try await ann.say("hello")
            try await ben.expect("hello")
            try await ann.send(file: "plan.txt", containing: Array("here".utf8), caption: "the plan")
            let plan = try await ben.expectFile("plan.txt")
            #expect(plan.bytes == Array("here".utf8) && plan.caption == "the plan")
            try await room.restart()
            try await ben.expectNothing()
        }
    }

    @Test func thoseWhoJoinByALinkAreAdmittedByRules() async throws {
        let bots = try file(
            """
              host:
                trusted-contacts: Ann
                groups:
                  lobby:
                    name: Lobby
                    joiners:
                      - { name-contains: [casino, shop], then: reject, reason: no advertising }
                      - { name-longer: 20, then: reject }
                      - { name-contains: Guest, picture: false, then: approve }
                rules:
                  - { when: { member: pending }, then: { tell: { chat: Ann, text: "{{ member.name }} waits" } } }
            """
        ).makeBots()
        try await withBots(bots) { room in
            let ann = try await room.person("Ann", trustedAs: "Ann")
            try await ann.join(group: "lobby")
            try await room.stranger("Best CASINO").expectRejection(from: "lobby")
            try await room.stranger("A name with more than twenty letters").expectRejection(from: "lobby")
            try await room.stranger("Guest 1").askToJoin(group: "lobby")
            try await ann.expect("Guest 1 waits")
            let link = try #require(await room.bot("host").groups.all.first?.link())
            #expect(link.joinerAdmission?.rules.count == 3)
        }
    }

    @Test(
        "mistakes are told with their position",
        arguments: [
            ("  a: { receive-files: { from: own } }", "needs the key \"up-to\""), ("  a: { receive-files: { up-to: much } }", "cannot be \"much\""),
            ("  a: { receive-files: { up-to: 1mb, from: all } }", "cannot be \"all\""),
            ("  a: { receive-files: { up-to: 1mb, kinds: [text] } }", "cannot be \"text\""),
            ("  a: { receive-files: { up-to: 1mb, files-per-day: 0 } }", "must be from 1"),
            ("  a: { receive-files: { up-to: 1mb, bytes-per-day: 500kb } }", "is less than a file may have"),
            ("  a: { receive-files: { up-to: 1mb, bytes-per-day: much } }", "cannot be \"much\""),
            ("  a: { receive-files: { up-to: 1mb, refusal: \"{{ sender.name }}\" } }", "is not a template"),
            ("  a: { rules: [ { when: { file: { type: image } }, then: { reply: x } } ] }", "is not a media type"),
            ("  a: { rules: [ { when: { message: any }, then: { forward: { through: a } } } ] }", "needs the key \"to\""),
            ("  a: { rules: [ { when: { message: any }, then: { forward: { to: Ann, through: b } } } ] }", "there is no profile \"b\""),
            ("  a: { rules: [ { when: { message: any }, then: { send: { video: a.mp4 } } } ] }", "needs the key \"seconds\""),
            ("  a: { rules: [ { when: { message: any }, then: { send: { file: a, thumbnail: b } } } ] }", "only a video has a thumbnail"),
            ("  a: { groups: { g: { joiners: [ { name-longer: 0, then: reject } ] } } }", "must be from 1"),
            ("  a: { groups: { g: { joiners: [ { then: refuse } ] } } }", "cannot be \"refuse\""),
            ("  a: { groups: { g: { joiners: [ { then: accept, reason: x } ] } } }", "only reject has a reason"),
            ("  a: { groups: { g: { joiners: [ { then: reject, role: member } ] } } }", "gets no role"),
            ("  a: { groups: { g: { link: none, joiners: [ { then: reject } ] } } }", "nobody joins a group without a link"),
        ])
    func mistakes(_ profile: String, _ expected: String) {
        let error = #expect(throws: BotsFileError.self) { try file(profile) }
        #expect(error?.diagnostics.first?.message.contains(expected) == true, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.diagnostics.first?.position.line == 3)
    }

    @Test func aRuleBehindOneForEverybodyIsWarnedOf() throws {
        let file = try file("  a: { groups: { g: { joiners: [ { then: review }, { name-longer: 9, then: reject } ] } } }")
        #expect(file.warnings.diagnostics.map(\.code.rawValue) == ["unreachable"])
    }

    @Test func aPictureMustBeOne() throws {
        let folder = try TemporaryFolder()
        func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name)) }
        try write("no picture", to: "logo.txt")
        for (name, expected) in [("logo.txt", "is no JPEG"), ("missing.png", "there is no picture")] {
            try write("parley: 1\nprofiles:\n  a: { picture: \(name) }\n", to: "bots.yaml")
            let error = #expect(throws: BotsFileError.self) { try BotsFile(contentsOf: folder.path + "/bots.yaml") }
            #expect(error?.diagnostics.first?.message.contains(expected) == true)
        }
        try #require(Data(base64Encoded: Self.pixel)).write(to: URL(fileURLWithPath: folder.path + "/logo.png"))
        try write("parley: 1\nprofiles:\n  a: { picture: logo.png }\n", to: "bots.yaml")
        let bot = try #require(try BotsFile(contentsOf: folder.path + "/bots.yaml").makeBots().first)
        #expect(bot.profile.image?.hasPrefix("data:image/jpg;base64,") == true)
    }

    /// A PNG of one pixel.
    private static let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
}
