import ChatProtocol
import Parley
import ParleyRules
import ParleyTesting
import Testing

/// The trusted contacts whom a file names for a group.
@Suite(.timeLimit(.minutes(5))) struct ModeratorTests {
    private func roles(_ room: TestRoom) async throws -> [String: GroupMemberRole] {
        let group = try #require(try await room.bot("host").groups.managed("lobby"))
        return Dictionary(try await group.members().map { ($0.displayName, $0.role) }) { first, _ in first }
    }

    @Test func trustedContactsAreInvitedWhenTheyConnectWithTheirRoles() async throws {
        let bots = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  host:
                    trusted-contacts: [ann, ben, cem, nobody]
                    groups: { lobby: { name: Lobby, moderators: [ann, nobody], members: [ben] } }
                    rules:
                      - { when: { text: who, role: moderator }, then: { send: "{{ member.name }} moderates" } }
                      - { when: { text: who, from: ben, chat: group }, then: { send: Ben is known } }
                """
        ).makeBots()
        #expect(bots.first?.groups.first?.moderators == ["ann", "nobody"] && bots.first?.groups.first?.members == ["ben"])
        try await withBots(bots) { room in
            // One start is enough, and a stranger of the name is nobody.
            let impostor = try await room.person("ann"), ann = try await room.person("Anna", trustedAs: "ann")
            let ben = try await room.person("Ben", trustedAs: "ben")
            for person in [ann, ben] {
                try await person.acceptInvitation(to: "Lobby")
                try await person.expectMembership(of: "Lobby")
            }
            try await impostor.join(group: "lobby")
            try await room.settle()
            let expected: [String: GroupMemberRole] = ["Anna": .moderator, "Ben": .member, "ann": .member]
            #expect(try await roles(room) == expected)
            for (person, answer) in [(ann, "Anna moderates"), (ben, "Ben is known")] {
                try await person.say("who", in: "Lobby")
                try await room.settle()
                #expect(try await person.conversation(in: "Lobby").last?.text == answer)
            }
            // Another start changes nothing, and invites nobody twice.
            try await room.restart()
            try await room.settle()
            #expect(try await roles(room) == expected)
            #expect(try await room.bot("host").groups.managed("lobby")?.members().count == 3)
        }
    }

    @Test func aGroupThatNamesAStrangerDoesNotStart() async throws {
        var bot = Bot("Host") { On(.text) { _ in } }
        bot.trustedContacts = ["ann"]
        bot.groups = [ManagedGroup("lobby", GroupSettings("Lobby"), moderators: ["ann", "ben"], members: ["cem"])]
        #expect(bot.validationErrors.count == 2)
        for name in ["ben", "cem"] { #expect(bot.validationErrors.contains { $0.message.contains("\"\(name)\"") && $0.message.contains("trustedContacts") }) }
        await #expect(throws: (any Error).self) { try await withBots(bot) { _ in } }
    }
}
