import ChatAPI
import ChatProtocol
import ChatRules
import SMPCrypto
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

/// The security codes that members of a channel compare.
@Suite struct MemberVerificationTests {
    private func code(of member: GroupMemberID, at core: TestCore) async throws -> String {
        guard case .groupMemberCode(_, _, _, let code) = try await core.run("/_get code #1 \(member)") else { throw UnexpectedAnswer() }
        return code
    }

    @Test func membersOfAChannelCompareTheirKeysByOneCode() async throws {
        let scene = try await ChannelScene(["bob", "carol"])
        let bob = try await scene.member("bob", at: "owner").groupMemberID
        try await scene.post("hello")
        await scene.expect("hello", at: "bob")
        let owner = try #require(await scene.members(at: "bob").first { $0.role == .owner }).groupMemberID
        let text = try await code(of: bob, at: scene["owner"])
        #expect(try await code(of: owner, at: scene["bob"]) == text, "both see the same")
        #expect(try await code(of: try await scene.member("carol", at: "owner").groupMemberID, at: scene["owner"]) != text)

        #expect(await scene["owner"].answer("/_verify code #1 \(bob) 12345")["verified"] == false)
        #expect(try await scene.member("bob", at: "owner").verifiedCode == nil)
        #expect(await scene["owner"].answer("/_verify code #1 \(bob) \(text.filter { $0 != " " })")["verified"] == true)
        #expect(try await scene.member("bob", at: "owner").verifiedCode?.securityCode == text)
        let shown = await scene["owner"].answer("/_info #1 \(bob)")["member"]
        #expect(shown?["memberVerifiedCode"]?["securityCode"]?.stringValue == text)
        #expect(try await scene["owner"].answer("/_info #1 \(bob)", for: .v65)["member"]?["memberVerifiedCode"] == nil)

        // A relay that later tells another key finds that it is not the verified one.
        let other = Ed25519.generateKeyPair(SystemRandomSource()).publicKey
        try await scene["owner"].native.engine.store.write { try $0.members.update(bob, publicKey: other) }
        #expect(try await scene.member("bob", at: "owner").verifiedCode == nil)
        #expect(try await code(of: bob, at: scene["owner"]) != text)

        let again = try await code(of: bob, at: scene["owner"])
        _ = try await scene["owner"].run("/_verify code #1 \(bob) \(again)")
        #expect(try await scene.member("bob", at: "owner").verifiedCode != nil)
        _ = try await scene["owner"].run("/_verify code #1 \(bob)")
        #expect(try await scene.member("bob", at: "owner").verifiedCode == nil, "without a code the confirmation is taken back")
        await scene.close()
    }

    @Test func theCodeOfTwoKeysIsTheSameForBoth() {
        let random = SystemRandomSource(), a = Ed25519.generateKeyPair(random).publicKey, b = Ed25519.generateKeyPair(random).publicKey
        #expect(SecurityCode(keys: a, b) == SecurityCode(keys: b, a) && SecurityCode(keys: a, b) != SecurityCode(keys: a, a))
    }
}
