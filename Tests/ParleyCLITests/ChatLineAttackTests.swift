import ChatAPI
import ChatProtocol
import TestSupport
import Testing

@testable import ParleyCLI

/// Lines of `parley chat` at their limits, and lines that nobody would type.
@Suite struct ChatLineAttackTests {
    private func message(_ text: String) -> String? {
        do throws(ChatLine.Fault) {
            _ = try ChatLine(text)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        arguments: [
            (":history 1", .history(1)), (":history 1000", .history(1_000)), (":wait 1", .wait(seconds: 1, text: nil)),
            (":wait 3600", .wait(seconds: 3_600, text: nil)),
            (":wait 5 5", .wait(seconds: 5, text: "5")), (":wait 5s", .wait(seconds: 30, text: "5s")), (":wait -5", .wait(seconds: 30, text: "-5")),
            (":wait ٥", .wait(seconds: 30, text: "٥")),
            (":wait 007", .wait(seconds: 7, text: nil)), (":reply #9223372036854775807 x", .reply("x", item: 9_223_372_036_854_775_807)),
            (":reply #1  two  words ", .reply("two  words", item: 1)),
            (":reply a #1", .reply("a #1", item: nil)), (":save", .save(item: nil, path: nil)), (":save #3", .save(item: 3, path: nil)),
            (":save #3 a b.txt", .save(item: 3, path: "a b.txt")),
            (":save ~/x", .save(item: nil, path: "~/x")), (":send a b.txt", .send(file: "a b.txt")), (":open\tAnn", .open("Ann")),
            (":open\u{A0}Ann\u{3000}", .open("Ann")), (":address now", .address),
            (":delete #team", .delete("#team")), (":sync Ann Lee", .sync("Ann Lee")), (":unreact 👍", .react("👍", added: false, item: nil)),
            (":moderate #1", .group(.moderate(item: 1))), (":comments #1", .group(.comments(post: 1))),
        ] as [(String, ChatLine)])
    func aLineIsReadUpToItsLimits(_ text: String, _ line: ChatLine) throws { #expect(try ChatLine(text) == line) }

    @Test(arguments: [
        (":history 0", ":history takes a number from 1 to 1000"), (":history 1001", ":history takes a number from 1 to 1000"),
        (":history 1 2", ":history takes a number from 1 to 1000"),
        (":history 99999999999999999999", ":history takes a number from 1 to 1000"), (":wait 0", ":wait takes a number of seconds from 1 to 3600"),
        (":wait 3601 x", ":wait takes a number of seconds from 1 to 3600"), (":wait 99999999999999999999", ":wait takes a number of seconds from 1 to 3600"),
        (":reply #0 x", ":reply takes the number of a message after #"), (":reply #-1 x", ":reply takes the number of a message after #"),
        (":reply # x", ":reply takes the number of a message after #"),
        (":reply #1x y", ":reply takes the number of a message after #"), (":reply #9223372036854775808 x", ":reply takes the number of a message after #"),
        (":reply #5", ":reply needs a text"), (":react", ":react needs a reaction"), (":edit", ":edit needs the new text"),
        (":unsend #1 x", ":unsend takes nothing but #NUMBER"),
        (":unsend x", ":unsend takes nothing but #NUMBER"), (":moderate x", ":moderate takes nothing but #NUMBER"),
        (":comments #1 x", ":comments takes nothing but #NUMBER"),
        (":connect \u{A0}", ":connect needs a link"), (":open", ":open needs a name"), (":accept", ":accept needs a name"), (":reject", ":reject needs a name"),
        (":delete", ":delete needs a name"),
        (":send", ":send needs the path of a file"), (":comment", ":comment needs a text"), (":group", ":group needs a name"),
        (":add", ":add needs the name of a contact"),
        (":role", ":role needs the name of a member and a role"),
        (":role admin", ":role needs a role after the name: owner, admin, moderator, member, observer"),
        (":role Ann author", ":role needs a role after the name: owner, admin, moderator, member, observer"),
        (":link author", ":link takes a role: member or observer"),
        (":review", ":review takes on or off"), (":review ON", ":review takes on or off"), (":remove", ":remove needs the name of a member"),
        (":block", ":block needs the name of a member"),
        (":unblock", ":unblock needs the name of a member"),
    ])
    func aLineBeyondThemIsAnsweredWithWhatItTakes(_ text: String, _ expected: String) { #expect(message(text) == expected) }

    @Test(arguments: ["::", ":::", ":: hello", ":::smile:", "::connect x"])
    func twoColonsBeginAMessageThatBeginsWithOne(_ text: String) throws { #expect(try ChatLine(text) == .message(String(text.dropFirst()))) }

    @Test(arguments: [":History", ":OPEN x", ":connectx", ":ope n", ":#", ":\u{200B}list", ": list"])
    func aWordIsWrittenAsItIsExplained(_ text: String) { #expect(message(text)?.hasPrefix("there is no :") == true) }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func anyTextIsALineOrAFault(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let parts =
            ChatLine.words.map { ":\($0)" } + [
                " ", " ", "\t", "#", "#1", "#99999999999999999999", "@", "Ann", "observer", "messages", "on", "5", "\u{301}", "\u{200D}", "\u{202E}", "\u{0}",
                "\u{1B}[2J", "😀", "::", "/", "https://a.example/a#x",
            ]
        for _ in 0..<1_000 {
            let text = (0..<Int.random(in: 0..<7, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            guard text.first == ":", !text.hasPrefix("::") else {
                let expected: ChatLine = text.allSatisfy(\.isWhitespace) ? .nothing : .message(text.hasPrefix("::") ? String(text.dropFirst()) : text)
                #expect(try ChatLine(text) == expected, "seed \(seed): \(text.debugDescription)")
                continue
            }
            if let line = try? ChatLine(text) {
                #expect(line != .nothing, "seed \(seed): \(text.debugDescription)")
            } else {
                #expect(message(text)?.isEmpty == false)
            }
        }
    }

    @Test(
        arguments: [
            ("Ann", "Ann", nil), ("Ann member", "Ann", .member), ("@Ann  Admin ", "Ann", .admin), ("Ann author", "Ann author", nil), ("member", "member", nil),
            ("@member", "member", nil),
            ("member member", "member", .member), ("Ann\tobserver", "Ann", .observer), ("Ann\u{A0}owner", "Ann", .owner), ("@@Ann", "@Ann", nil),
            ("Ann OWNER", "Ann", .owner),
        ] as [(String, String, GroupMemberRole?)])
    func aRoleIsTheLastWordBehindAName(_ text: String, _ name: String, _ role: GroupMemberRole?) {
        let found = GroupLine.nameAndRole(String(text[...].trimmed))
        #expect(found.name == name && found.role == role)
    }
}
