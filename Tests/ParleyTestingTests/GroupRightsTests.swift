import ChatAPI
import ChatProtocol
import Parley
import ParleyTesting
import Testing

/// What a bot may do in a group of somebody else, by its role, and what is said of the rest.
@Suite struct GroupRightsTests {
    /// Things to do in a group, by the role that they need.
    private enum Deed: String, CaseIterable, Sendable {
        case block, warn, role, link, rename, remove

        var needed: GroupMemberRole {
            switch self {
            case .warn: .observer
            case .block: .moderator
            case .role, .remove, .link: .admin
            case .rename: .owner
            }
        }
    }

    private struct Deeds: StoredState { var told: [String] = [] }

    /// A bot that does what the owner of a group tells it to, deletes what anybody calls spam, and keeps how that went.
    private static func helper() -> Bot {
        Bot("Helper") {
            On(.groupInvitation) { try await $0.join() }
            On(.text, in: .groups, where: { $0.text.hasSuffix("spam") }) { message in
                try await tell(message, message.text) { try await message.moderate() }
            }
            On(.command("do", .choice("deed", of: Deed.self), .word("whom")), in: .groups) { call in
                let (deed, whom) = call.arguments
                guard let group = call.chat.group, let member = try await group.members().first(where: { $0.displayName == whom }) else { return }
                try await tell(call.message, deed.rawValue) {
                    switch deed {
                    case .block: try await member.block()
                    case .warn: try await member.warn()
                    case .role: try await member.setRole(.observer)
                    case .remove: try await member.remove()
                    case .link: _ = try await group.makeLink()
                    case .rename: _ = try await group.update { $0.description = "Written by the bot" }
                    }
                }
            }
        }
    }

    private static func tell(_ message: MessageContext, _ deed: String, _ work: () async throws -> Void) async throws {
        var outcome = "done"
        do { try await work() } catch let error as ChatCoreError { outcome = error.code.rawValue }
        let text = "\(deed): \(outcome)"
        try await message.update(Deeds.self, of: .bot) { $0.told.append(text) }
    }

    @Test(arguments: [GroupMemberRole.observer, .member, .moderator, .admin, .owner])
    func aBotDoesWhatItsRoleAllowsAndIsToldWhatItDoesNot(_ role: GroupMemberRole) async throws {
        try await withBots(Self.helper()) { room in
            let ann = try await room.person("Ann"), ben = try await room.stranger("Ben")
            try await ann.makeGroup(GroupSettings("Club"))
            try await ann.invite("Helper", to: "Club", as: role)
            try await room.settle()
            try await ben.join(link: try await ann.makeLink(to: "Club"))
            try await ben.expectMembership(of: "Club")
            try await room.settle()
            try await ben.say("spam", in: "Club")
            try await ann.say("the owner's spam", in: "Club")
            try await room.settle()
            for deed in Deed.allCases { try await ann.say("/do \(deed.rawValue) Ben", in: "Club") }
            try await room.settle()
            let told = try await room.bot("Helper").state(Deeds.self).told
            // Nobody deletes what somebody of a higher role has written, and that is looked at first.
            func moderating(_ author: GroupMemberRole) -> String {
                role < author ? "error.invalidChatItemDelete" : role >= .moderator ? "done" : "error.groupUserRole"
            }
            var expected = ["spam: \(moderating(.member))", "the owner's spam: \(moderating(.owner))"]
            for deed in Deed.allCases { expected.append("\(deed.rawValue): \(role >= deed.needed ? "done" : "error.groupUserRole")") }
            #expect(told == expected, "as \(role)")
        }
    }
}
