import ChatAPI
import ChatProtocol
import ChatRules
import Testing

@testable import ChatEngine

/// What terminals are told of contacts and members whose security code changed, or who were made contacts.
@Suite("Verification that is reset")
struct VerificationResetTests {
    @Test("a verified contact whose ratchet is synchronised has to be verified again, and another one is not told of")
    func contact() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice"), bob = try await world.core("bob")
        let (bobAtAlice, _) = try await TestWorld.connect(alice, bob)
        guard case .contactCode(_, _, let code) = try await alice.run("/_get code @\(bobAtAlice)") else { throw UnexpectedAnswer() }
        _ = try await alice.run("/_verify code @\(bobAtAlice) \(code)")
        _ = try await alice.run("/_sync @\(bobAtAlice) force=on")
        let isTold = await alice.wait { $0.contains { if case .terminalEvent(.contactVerificationReset) = $0 { true } else { false } } }
        #expect(isTold)
        let contacts = alice.events.compactMap { event in
            if case .terminalEvent(.contactVerificationReset(_, let contact)) = event { contact } else { nil }
        }
        #expect(contacts.map(\.contactID) == [bobAtAlice] && contacts.first?.activeConnection?.connectionCode == nil)
        #expect(bob.events.allSatisfy { if case .terminalEvent = $0 { false } else { true } })
        await alice.close()
        await bob.close()
    }

    @Test("a verified member whose ratchet is synchronised has to be verified again")
    func member() async throws {
        let scene = try await GroupScene(["alice", "bob"])
        let bob = try await scene.member("bob", at: "alice").groupMemberID
        guard case .groupMemberCode(_, _, _, let code) = try await scene["alice"].run("/_get code #1 \(bob)") else { throw UnexpectedAnswer() }
        _ = try await scene["alice"].run("/_verify code #1 \(bob) \(code)")
        _ = try await scene["alice"].run("/_sync #1 \(bob) force=on")
        let isTold = await scene["alice"].wait { $0.contains { if case .terminalEvent(.groupMemberVerificationReset) = $0 { true } else { false } } }
        #expect(isTold)
        let members = scene["alice"].events.compactMap { event in
            if case .terminalEvent(.groupMemberVerificationReset(_, _, let member)) = event { member } else { nil }
        }
        #expect(members.map(\.groupMemberID) == [bob] && members.first?.activeConnection?.connectionCode == nil)
        await scene.close()
    }

    @Test("a member who is written to by name becomes a contact, of which terminals are told once")
    func memberContact() async throws {
        let scene = try await GroupScene(
            ["alice", "bob"], profile: #""displayName":"team","fullName":"","groupPreferences":{"directMessages":{"enable":"on"}}"#)
        for text in ["one", "two"] { _ = await scene["alice"].answer("@#team @bob \(text)") }
        let contacts = scene["alice"].events.compactMap { event in
            guard case .terminalEvent(.newMemberContact(_, let contact, _, let member)) = event else { return [String]?.none }
            return [contact.localDisplayName, member.localDisplayName]
        }
        #expect(contacts == [["bob", "bob"]])
        await scene.close()
    }
}
