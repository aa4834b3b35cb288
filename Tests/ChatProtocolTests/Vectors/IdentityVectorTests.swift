import ChatProtocol
import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@Suite struct IdentityVectorTests {
    @Test(arguments: try Vectors.cases("chat_messages", kinds: "verification-code"))
    func securityCodesAreAsRecorded(item: VectorCase) throws {
        let hash = try item.bytes("hash")
        #expect(SecurityCode(hash: hash).text == item["code"].string)
        if let data = item["assoc_data"].hex {
            #expect(SecurityCode(associatedData: data).text == item["code"].string)
        }
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "same-verification-code"))
    func spacesInEnteredCodesDoNotMatter(item: VectorCase) throws {
        #expect(SecurityCode.areSame(try item.text("a"), try item.text("b")) == item["same"].bool)
    }

    @Test func aCodeMatchesWhatAPersonTypes() {
        let code = SecurityCode(hash: [1, 2, 3])
        #expect(code.text == "66051")
        #expect(code.matches("6 6 0 5 1"))
        #expect(!code.matches("66052"))
        #expect(SecurityCode(hash: []).text == "0")
        #expect(SecurityCode(hash: [0, 0]).text == "0")
        #expect(SecurityCode(hash: Bytes(repeating: 0xFF, count: 8)).text == "18446 74407 37095 51615")
        #expect(SecurityCode(hash: [0x01, 0x86, 0xA0]).text == "10000 0")
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "link-owner-signature"))
    func ownersSignLinksAsRecorded(item: VectorCase) throws {
        let key = try Ed25519.PrivateKey(raw: item.bytes("private_raw"))
        let binding = try item.bytes("chat_binding")
        let link = try item.bytes("link_binary")
        let chat = try binding.chatBinding()
        #expect(chat.bytes == binding)

        let signature = LinkOwnerSignature(sharing: link, in: chat, ownerID: nil, with: key)
        #expect(signature.signature.bytes == item["signature"].hex)
        #expect(signature.chatBinding.bytes == binding)
        #expect(signature.isValid(sharing: link, in: chat, key: key.publicKey))
        #expect(!signature.isValid(sharing: link + [0], in: chat, key: key.publicKey))
        #expect(!signature.isValid(sharing: link, in: .channel(publicGroupID: [9]), key: key.publicKey))
        #expect(try LinkOwnerSignature(json: signature.json) == signature)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "public-group-id"))
    func groupsAreIdentifiedByTheirRootKey(item: VectorCase) throws {
        let key = try Ed25519.PublicKey(raw: item.bytes("root_public_raw"))
        #expect(GroupIdentity.publicGroupID(rootKey: key).bytes == item["public_group_id"].hex)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "relay-test-signature"))
    func relaysAnswerTestsAsRecorded(item: VectorCase) throws {
        let key = try Ed25519.PrivateKey(raw: item.bytes("private_raw"))
        let challenge = Base64URLBytes(try item.bytes("challenge"))
        let answer = GroupIdentity.answer(challenge: challenge, with: key)
        #expect(answer.bytes == item["signature"].hex)
        #expect(GroupIdentity.isAnswer(answer, to: challenge, by: key.publicKey))
        #expect(!GroupIdentity.isAnswer(answer, to: Base64URLBytes([1]), by: key.publicKey))
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "probe-hash"))
    func probesAreHashedAsRecorded(item: VectorCase) throws {
        #expect(Probe(try item.bytes("probe")).hash.bytes == item["hash"].hex)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "short-link-user-data"))
    func shortLinkUserDataIsReadAndPrintedAsRecorded(item: VectorCase) throws {
        let data = try item.bytes("user_data")
        let json = try JSONValue(parsing: item.text("json"))
        let value = try ShortLinkUserData.decode(ContactShortLinkData.self, from: data)
        #expect(value.json == json)
        let encoded = try ShortLinkUserData.encode(value)
        #expect((encoded.first == UInt8(ascii: "X")) == item["compressed"].bool)
        #expect(try ShortLinkUserData.decode(ContactShortLinkData.self, from: encoded) == value)
        if item["compressed"].bool == false { #expect(encoded.count == data.count) }
    }
}

extension Bytes {
    /// The chat that recorded bytes of a binding stand for.
    func chatBinding() throws -> ChatBinding {
        var parser = WireParser(self)
        switch try parser.read(ChatBindingTag.self) {
        case .group: return .group(publicGroupID: try parser.short(), member: MemberID(try parser.short()))
        case .channel: return .channel(publicGroupID: try parser.short())
        case .direct: return .direct(securityCodeHash: parser.rest())
        }
    }
}
