import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Connections that turn out to be with the host of a group: only those that this profile asked for by an address, and only while nobody has written.
@Suite struct GroupAnswerTests {
    private static let host = MemberIDRole(memberID: MemberID(Bytes(repeating: 8, count: 12)), role: .owner)
    private static let invited = MemberIDRole(memberID: MemberID(Bytes(repeating: 9, count: 12)), role: .member)
    private static let profile = GroupProfile(displayName: "trap", fullName: "")
    private static let invitation = ChatMessageEvent.groupLinkInvitation(
        GroupLinkInvitation(fromMember: host, fromMemberName: "x", invitedMember: invited, groupProfile: profile))
    private static let rejection = ChatMessageEvent.groupLinkRejection(
        GroupLinkRejection(fromMember: host, invitedMember: invited, groupProfile: profile, reason: .longName))

    private enum Start: CaseIterable { case address, invitation }

    /// Whether an answer of a group makes one.
    private func makesGroup(
        _ event: ChatMessageEvent, from contact: ContactID, in scene: RuleScene, by start: Start, status: ContactStatus = .active
    ) async throws -> (groups: Int64, contacts: Int64, items: Int64, errors: [String]) {
        try await scene.run { transaction in
            let record = try #require(try transaction.db.connections.connections(ofContact: contact).last)
            try transaction.db.run(
                "UPDATE connections SET status = 'new', via_address = ? WHERE connection_id = ?", [start == .address, record.id])
            try transaction.db.contacts.update(contact, status: status, at: transaction.now)
        }
        let effects = try await scene.report(
            .confirmation(ConfirmationID([1]), pqSupport: false, servers: [], info: ChatMessage(event: event).body), from: .contact(contact))
        return (
            try await scene.count("groups"), try await scene.count("contacts WHERE contact_id = \(contact)"),
            try await scene.count("chat_items WHERE item_text = 'words'"), effects.events.messageErrors
        )
    }

    @Test func theCardOfABusinessGivesWayToItsChat() async throws {
        let scene = try await RuleScene(), card = try await scene.addContact("business")
        let after = try await makesGroup(Self.invitation, from: card, in: scene, by: .address)
        #expect(after.groups == 1 && after.contacts == 0 && after.errors.isEmpty)
        try await scene.close()
    }

    @Test(arguments: [invitation, rejection])
    func whoComesByAOneTimeLinkOfThisProfileIsNoHost(_ event: ChatMessageEvent) async throws {
        let scene = try await RuleScene(), stranger = try await scene.addContact("stranger")
        let after = try await makesGroup(event, from: stranger, in: scene, by: .invitation)
        #expect(after.groups == 0 && after.contacts == 1 && after.errors.count == 1)
        try await scene.close()
    }

    @Test(arguments: [ContactStatus.active, .deleted, .deletedByUser])
    func aContactThatHasWrittenKeepsItsChat(_ status: ContactStatus) async throws {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        try await scene.receive([.newMessage(MessageContainer(content: .text("words")))], from: .contact(bob))
        let after = try await makesGroup(Self.invitation, from: bob, in: scene, by: .address, status: status)
        #expect(after.groups == 0 && after.contacts == 1 && after.items == 1)
        #expect(after.errors == ["x.grp.link.inv: this profile did not ask to join"])
        try await scene.close()
    }
}
