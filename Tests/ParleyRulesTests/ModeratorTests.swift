import ChatProtocol
import Parley
import ParleyRules
import ParleyTesting
import Testing

/// The moderators that a file names for a group.
@Suite(.timeLimit(.minutes(5))) struct ModeratorTests {
    @Test func membersAndContactsWhoAreNamedBecomeModeratorsAtTheStart() async throws {
        let bots = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  host:
                    groups: { lobby: { name: Lobby, moderators: [Ann, Ben, Nobody] } }
                    rules: [ { when: { text: who, role: moderator }, then: { send: "{{ member.name }} moderates" } } ]
                """
        ).makeBots()
        #expect(bots.first?.groups.first?.moderators == ["Ann", "Ben", "Nobody"])
        try await withBots(bots) { room in
            let ann = try await room.person("Ann"), ben = try await room.person("Ben"), cem = try await room.person("Cem")
            try await ben.join(group: "lobby")
            try await cem.join(group: "lobby")
            try await room.settle()
            try await room.restart()
            try await ann.acceptInvitation(to: "Lobby")
            try await ann.expectMembership(of: "Lobby")
            func roles() async throws -> [String: GroupMemberRole] {
                let group = try #require(await room.bot("host").groups.group(named: "Lobby"))
                return Dictionary(try await group.members().map { ($0.displayName, $0.role) }) { first, _ in first }
            }
            let expected: [String: GroupMemberRole] = ["Ann": .moderator, "Ben": .moderator, "Cem": .member]
            let first = try await roles()
            #expect(first == expected)
            // Another start changes nothing, and invites nobody twice.
            try await room.settle()
            try await room.restart()
            try await room.settle()
            #expect(try await roles() == expected)
            #expect(try await room.bot("host").groups.group(named: "Lobby")?.members().count == 3)
        }
    }
}
