import ChatAPI
import Parley
import ParleyRules
import Testing

@testable import ParleyTesting

/// Rules about what becomes of the bot's messages and of files, and about who invites, with people who talk to the bot over a network in memory.
@Suite(.timeLimit(.minutes(5))) struct DeliveryConversationTests {
    private func bots(_ text: String) throws -> [Bot] { try BotsFile(parsing: "parley: 1\nprofiles:\n" + text).makeBots() }

    @Test func aDeliveryIsReportedOnceAndTheReportIsNotReported() async throws {
        let bots = try bots(
            """
              shop:
                trusted-contacts: Staff
                rules:
                  - { when: { delivered: true, contains: order }, then: { tell: { chat: Staff, text: "{{ contact.name }} has: {{ text }}" } } }
                  - { when: { text: order }, then: { send: Your order is on its way. } }
            """)
        try await withBots(bots) { room in
            let staff = try await room.person("Sam", trustedAs: "Staff"), ann = try await room.person("Ann")
            try await ann.say("order")
            try await ann.expect("Your order is on its way.")
            try await staff.expect("Ann has: Your order is on its way.")
            try await room.settle()
            try await staff.expectNothing()
            try await ann.expectNothing()
        }
    }

    @Test func aMessageToSomebodyWhoIsGoneIsReported() async throws {
        let bots = try bots(
            """
              clock:
                trusted-contacts: [Staff, Ann]
                schedules: [ { id: noon, at: "2026-01-01 12:00", to: Ann, send: It is noon. } ]
                rules: [ { when: { delivery-failed: true }, then: { tell: { chat: Staff, text: "{{ contact.name }} did not get \\"{{ text }}\\": {{ error }}" } } } ]
            """)
        try await withBots(bots) { room in
            let staff = try await room.person("Sam", trustedAs: "Staff"), ann = try await room.person("Ann", trustedAs: "Ann")
            _ = try await ann.core.send(.chats(.delete(try await ann.reference(nil), mode: .full(notify: false))), as: ann.user)
            try await room.settle()
            try await room.advance(by: .seconds(12 * 3_600 + 1))
            try await staff.expect("Ann did not get \"It is noon.\": the recipient's queue does not exist any more")
            try await room.settle()
            try await staff.expectNothing()
        }
    }

    @Test func aFileThatHasComeIsAnsweredAndForwarded() async throws {
        let bots = try bots(
            """
              archive:
                trusted-contacts: Staff
                receive-files: { up-to: 50kb }
                rules:
                  - when: { file-received: true, file: { type: text/plain } }
                    then: [ { reply: "I keep {{ file.name }}." }, { react: ✅ }, { forward: Staff } ]
            """)
        try await withBots(bots) { room in
            let staff = try await room.person("Sam", trustedAs: "Staff"), ann = try await room.person("Ann")
            try await ann.send(file: "photo.png", containing: Array("not a text".utf8))
            try await ann.send(file: "notes.txt", containing: Array("a text".utf8), caption: "my notes")
            try await ann.expect("I keep notes.txt.")
            // Two files of one folder have two names.
            let notes = try await staff.expectFile("notes_1.txt")
            #expect(notes.bytes == Array("a text".utf8) && notes.caption == "my notes")
            try await ann.expectNothing()
        }
    }

    @Test func invitationsAreAcceptedByWhoInvitesAndToWhat() async throws {
        let bots = try bots(
            """
              helper:
                trusted-contacts: Ann
                rules:
                  - id: known
                    when: { invitation: true, from: Ann, group: Team }
                    then: [ { accept: true }, { send: "Thank you for {{ group.name }}, {{ inviter.name }}." } ]
                  - { id: other, when: { invitation: true }, then: { send: "I do not join {{ group.name }}." } }
            """)
        try await withBots(bots) { room in
            let ann = try await room.person("Ann", trustedAs: "Ann"), ben = try await room.person("Ben")
            for (person, group) in [(ann, "Team"), (ann, "Club"), (ben, "Team")] {
                try await person.makeGroup(GroupSettings(group))
                try await person.invite("helper", to: group)
            }
            try await ann.expect("Thank you for Team, Ann.")
            try await ann.expect("I do not join Club.")
            try await ben.expect("I do not join Team.")
            try await room.settle()
            let groups = await (try room.bot("helper")).groups.all.filter(\.isMember)
            #expect(groups.map(\.displayName) == ["Team"])
        }
    }
}
