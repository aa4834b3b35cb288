import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import ChatEngine

/// Signatures by which somebody who shares a link claims to own it.
@Suite struct LinkOwnerTests {
    private let root: Ed25519.PrivateKey, owner: Ed25519.PrivateKey, stranger: Ed25519.PrivateKey
    private let link: ConnectionShortLink
    private let chat = ChatBinding.direct(securityCodeHash: Bytes(repeating: 7, count: 32))

    init() throws {
        root = try Ed25519.PrivateKey(raw: Bytes(repeating: 1, count: 32))
        owner = try Ed25519.PrivateKey(raw: Bytes(repeating: 2, count: 32))
        stranger = try Ed25519.PrivateKey(raw: Bytes(repeating: 3, count: 32))
        link = try ConnectionShortLink(wireString: "https://smp8.simplex.im/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok")
    }

    /// What a link shows that names one more owner.
    private func resolved() async throws -> ResolvedLink {
        let alice = try await TestWorld().core("alice")
        let request = try ConnectionRequestURI(wireString: try await alice.invite())
        await alice.close()
        let owners = [LinkOwner(id: [1, 2, 3], key: owner.publicKey, authorizedBy: root)]
        return ResolvedLink(
            fixed: FixedLinkData(rootKey: root.publicKey, connectionRequest: request),
            user: ConnectionLinkData(content: .contact(UserContactData(owners: owners, userData: UserLinkData([])))))
    }

    private func signature(_ key: Ed25519.PrivateKey, id: Bytes?) -> LinkOwnerSignature {
        LinkOwnerSignature(sharing: link.wireBytes, in: chat, ownerID: id.map { Base64URLBytes($0) }, with: key)
    }

    @Test func ownersOfTheLinkAreVerifiedAndOthersAreNot() async throws {
        let resolved = try await resolved()
        let failed = OwnerVerification.failed(reason: "signature verification failed")
        #expect(resolved.verification(of: signature(root, id: nil), sharing: link) == .verified)
        #expect(resolved.verification(of: signature(owner, id: [1, 2, 3]), sharing: link) == .verified)
        #expect(resolved.verification(of: signature(stranger, id: nil), sharing: link) == failed)
        #expect(resolved.verification(of: signature(owner, id: [9]), sharing: link) == .failed(reason: "unknown owner"))
        let other = try ConnectionShortLink(wireString: "https://smp9.simplex.im/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok")
        #expect(resolved.verification(of: signature(root, id: nil), sharing: other) == failed)
    }

    @Test func aPlanTellsWhetherTheSignatureOfASharedLinkIsItsOwners() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice"), bob = try await world.core("bob")
        _ = try await alice.run("/_address 1")
        guard case .userContactLink(_, let address) = try await alice.run("/_show_address 1"), let short = address.connectionLink.shortLink else {
            throw UnexpectedAnswer()
        }
        let unsigned = await bob.answer("/_connect plan 1 \(short)")
        #expect(unsigned["connectionPlan"]?["contactAddressPlan"]?["type"] == "ok", "\(unsigned.text)")
        #expect(unsigned["connectionPlan"]?["contactAddressPlan"]?["ownerVerification"] == nil)
        let signed = await bob.answer("/_connect plan 1 \(short) sig=\(signature(stranger, id: nil).json.text)")
        #expect(signed["connectionPlan"]?["contactAddressPlan"]?["ownerVerification"]?["type"] == "failed", "\(signed.text)")
        await alice.close()
        await bob.close()
    }

    @Test func aSignatureThatWasMadeForAnotherChatIsDroppedAndThatOfThisChatStays() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice"), bob = try await world.core("bob")
        let (atAlice, atBob) = try await TestWorld.connect(alice, bob)
        guard case .contactsList(_, let contacts) = try await bob.run("/_contacts 1"),
            let connection = contacts.first?.activeConnection.flatMap({ Base64URL.decode($0.agentConnectionID) })
        else { throw UnexpectedAnswer() }
        let hash = try await bob.native.engine.agent.ratchetHash(of: ConnectionID(connection))
        let here = LinkOwnerSignature(sharing: link.wireBytes, in: .direct(securityCodeHash: hash), ownerID: nil, with: root)
        for (text, signature) in [("elsewhere", self.signature(root, id: nil)), ("here", here)] {
            let shared = MessageChatLink.contact(link: link.wireString, profile: Profile(displayName: "carol", fullName: ""), business: false)
            try await bob.native.engine.transactions.transaction { transaction in
                let contact = try transaction.conversations.contact(atBob, of: try transaction.user())
                let content = MessageContent.chat(text: text, link: shared, ownerSignature: signature)
                try transaction.outbox.send(.newMessage(MessageContainer(content: content)), to: contact)
            }
        }
        #expect(await alice.eventually { await alice.received(from: atAlice).last == "here" })
        let kept = await alice.messages(with: atAlice).compactMap { item -> String? in
            if case .chat(let text, _, .some)? = item.content.messageContent?.kind { text } else { nil }
        }
        #expect(kept == ["here"])
        await alice.close()
        await bob.close()
    }
}
