import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

/// The parties that may change what a link shows, and the data that a router may not put in its place.
@Suite struct LinkOwnershipTests {
    private static let random = SeededRandomSource(seed: 41)
    private static let root = Ed25519.generateKeyPair(random).privateKey
    private static let owners = (0..<3).map { _ in Ed25519.generateKeyPair(random).privateKey }
    private static let stranger = Ed25519.generateKeyPair(random).privateKey

    /// The fixed data of a recorded link of this kind, below the root key.
    private func fixed(_ name: String) throws -> FixedLinkData {
        let item = try #require(try Vectors.cases("links", kinds: "connection-request").first { $0.name == name })
        return FixedLinkData(rootKey: Self.root.publicKey, connectionRequest: try item["value"].connectionRequest())
    }

    /// The error of opening a link with this data.
    private func code(
        _ fixed: FixedLinkData, _ user: ConnectionLinkData, signedBy key: Ed25519.PrivateKey = root, mode: ConnectionMode = .contact
    ) throws -> LinkDataError.Code? {
        let signed = SignedLinkData(fixed, signedBy: Self.root)
        let secret = try LinkSecrets(signed.linkKey, mode: mode).dataKey
        let data = try QueueLinkData.seal(fixed: signed, user: SignedLinkData(user, signedBy: key), key: secret, random: Self.random)
        do throws(LinkDataError) {
            let opened = try data.open(signed.linkKey, mode: mode, dataKey: secret)
            #expect(opened.fixed == fixed && opened.user == user)
            return nil
        } catch {
            return error.code
        }
    }

    private static func contact(_ owners: [LinkOwner] = []) -> ConnectionLinkData {
        ConnectionLinkData(content: .contact(UserContactData(owners: owners, userData: UserLinkData([1, 2, 3]))))
    }

    private static func owner(_ index: Int, by authorizer: Ed25519.PrivateKey, id: Bytes? = nil) -> LinkOwner {
        LinkOwner(id: id ?? [UInt8(index)], key: owners[index].publicKey, authorizedBy: authorizer)
    }

    /// A list of owners, the key that signs the data, and the error of opening it.
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        let owners: [LinkOwner]
        let signer: Ed25519.PrivateKey
        let error: LinkDataError.Code?
    }

    static let cases: [Case] = [
        Case(description: "the root alone", owners: [], signer: root, error: nil),
        Case(description: "a stranger", owners: [], signer: stranger, error: .userDataSignature),
        Case(description: "an owner by the root", owners: [owner(0, by: root)], signer: owners[0], error: nil),
        Case(description: "the root beside owners", owners: [owner(0, by: root)], signer: root, error: nil),
        Case(description: "a stranger beside owners", owners: [owner(0, by: root)], signer: stranger, error: .userDataSignature),
        Case(description: "who is no owner any more", owners: [owner(1, by: root)], signer: owners[0], error: .userDataSignature),
        Case(
            description: "the last of a chain", owners: [owner(0, by: root), owner(1, by: owners[0]), owner(2, by: owners[1])], signer: owners[2], error: nil),
        Case(description: "a chain in another order", owners: [owner(1, by: owners[0]), owner(0, by: root)], signer: root, error: .owner),
        Case(description: "owners by each other", owners: [owner(0, by: owners[1]), owner(1, by: owners[0])], signer: owners[0], error: .owner),
        Case(description: "an owner by itself", owners: [owner(0, by: owners[0])], signer: owners[0], error: .owner),
        Case(description: "an owner by a stranger", owners: [owner(0, by: root), owner(1, by: stranger)], signer: root, error: .owner),
        Case(description: "the root as an owner", owners: [LinkOwner(id: [9], key: root.publicKey, authorizedBy: root)], signer: root, error: .owner),
        Case(description: "one id twice", owners: [owner(0, by: root, id: [5]), owner(1, by: root, id: [5])], signer: root, error: .owner),
        Case(
            description: "one key under two ids", owners: [owner(0, by: root, id: [5]), owner(0, by: root, id: [6])], signer: root, error: .owner),
        Case(
            description: "the authorisation of another id",
            owners: [LinkOwner(id: [8], key: owners[0].publicKey, signature: owner(0, by: root, id: [7]).signature)], signer: root, error: .owner),
        Case(
            description: "the authorisation of another key",
            owners: [LinkOwner(id: [0], key: owners[1].publicKey, signature: owner(0, by: root).signature)], signer: root, error: .owner),
        Case(description: "an id of no bytes", owners: [owner(0, by: root, id: [])], signer: owners[0], error: nil),
    ]

    @Test(arguments: cases) func whatALinkShowsIsSignedByTheRootOrAnOwnerOfItsList(_ item: Case) throws {
        let code = try code(try fixed("contact simplex:"), Self.contact(item.owners), signedBy: item.signer)
        #expect(code == item.error)
    }

    @Test func aPartOfAnotherKindOfLinkIsRefusedWhicheverItIs() throws {
        let (address, invitation) = (try fixed("contact simplex:"), try invitation())
        let shown = ConnectionLinkData(content: .invitation(UserLinkData([1])))
        for (fixed, user, mode, error) in [
            (address, Self.contact(), .contact, nil), (invitation, shown, .invitation, nil), (address, shown, .contact, .mode),
            (invitation, Self.contact(), .contact, .mode), (address, shown, .invitation, .mode), (invitation, Self.contact(), .invitation, .mode),
            (invitation, shown, .contact, .mode), (address, Self.contact(), .invitation, .mode),
        ] as [(FixedLinkData, ConnectionLinkData, ConnectionMode, LinkDataError.Code?)] {
            let code = try code(fixed, user, mode: mode)
            #expect(code == error, "\(fixed.connectionRequest.mode) \(user.mode) behind \(mode)")
        }
    }

    private func invitation() throws -> FixedLinkData {
        let items = try Vectors.cases("links", kinds: "connection-request")
        for item in items {
            let request = try item["value"].connectionRequest()
            if request.mode == .invitation { return FixedLinkData(rootKey: Self.root.publicKey, connectionRequest: request) }
        }
        throw VectorError(description: "no invitation")
    }

    @Test(arguments: [0, 1, 63, 65, 100]) func anOwnersSignatureOfAnotherSizeIsRefused(_ size: Int) throws {
        let owner = LinkOwner(id: [1], key: Self.owners[0].publicKey, signature: Bytes(repeating: 1, count: size))
        #expect { try LinkOwner(wireBytes: owner.wireBytes) } throws: { ($0 as? WireError)?.code == .invalidValue }
        #expect(throws: WireError.self) { try ConnectionLinkData(wireBytes: Self.contact([owner]).wireBytes) }
    }

    @Test func whatLaterVersionsAppendToAnOwnerIsPassedOver() throws {
        let owner = Self.owner(0, by: Self.root)
        let longer = ShortBytes(Bytes(owner.wireBytes.dropFirst()) + [1, 2, 3]).wireBytes
        #expect(try LinkOwner(wireBytes: longer) == owner)
    }

    @Test func aRelayOfAnAddressIsAContactLink() throws {
        let server = SMPServerAddress(host: .domain("a"), keyHash: KeyHash([1]))
        let relay = ConnectionShortLink.contact(scheme: .server, type: .relay, server: server, key: LinkKey([1]))
        let invitation = ConnectionShortLink.invitation(scheme: .server, server: server, linkID: LinkID([2]), key: LinkKey([1]))
        func data(_ relays: [ConnectionShortLink]) -> Bytes { UserContactData(isDirect: false, relays: relays, userData: UserLinkData([])).wireBytes }
        #expect(try UserContactData(wireBytes: data([relay, relay])).relays == [relay, relay])
        for relays in [[invitation], [relay, invitation]] {
            #expect { try UserContactData(wireBytes: data(relays)) } throws: { ($0 as? WireError)?.code == .invalidValue }
        }
    }

    @Test(arguments: [0, 1, 254, 255, 256, 13_000, 65_535]) func theApplicationsDataOfAnySizeComesBack(_ size: Int) throws {
        let data = UserLinkData(Bytes(repeating: 0xFF, count: size))
        #expect(data.wireBytes.count == size + (size < 255 ? 1 : 3))
        #expect(try UserLinkData(wireBytes: data.wireBytes) == data)
        #expect(throws: WireError.self) { try UserLinkData(wireBytes: Bytes(data.wireBytes.dropLast())) }
    }
}
