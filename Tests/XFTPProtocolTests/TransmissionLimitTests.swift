import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import XFTPProtocol

/// Commands and answers of file routers with any credentials and at their limits, and every error in both forms.
@Suite struct TransmissionLimitTests {
    private static let random = SeededRandomSource(seed: 98)
    private static let key = PublicAuthKey.ed25519(Ed25519.generateKeyPair(random).publicKey)
    private static let commands: [XFTPCommand] = [
        .new(FileInfo(senderKey: key, size: 65_536, digest: Bytes(repeating: 1, count: 32)), recipients: [key], basicAuth: nil), .ping, .add(recipients: [key]),
        .put,
        .delete, .get(X25519.generateKeyPair(random).publicKey), .acknowledge,
    ]

    @Test(arguments: 1...3 as ClosedRange<UInt16>)
    func aCommandIsReadWithTheCredentialsThatItNeedsAndNoOthers(_ version: UInt16) throws {
        let context = TransmissionContext(version: version, sessionID: Bytes(repeating: 1, count: 32), impliesSessionID: false)
        for (index, command) in Self.commands.enumerated() {
            for authorization in [TransmissionAuthorization.none, .signature(Bytes(repeating: 1, count: 64)), .authenticator(Bytes(repeating: 1, count: 80))] {
                for entity in [EntityID.none, EntityID([1]), EntityID(Bytes(repeating: 1, count: 255))] {
                    let expected: SMPCommandError? =
                        switch index {
                        case 0: authorization.isNone ? .noAuth : entity.isNone ? nil : .hasAuth
                        case 1: authorization.isNone && entity.isNone ? nil : .hasAuth
                        default: authorization.isNone || entity.isNone ? .noAuth : nil
                        }
                    let encoded = context.encode(command, correlationID: CorrelationID(Bytes(repeating: 2, count: 24)), entity: entity)
                    let content = try #require(TransmissionBatcher.pack(one: context.authorized(encoded, authorization)))
                    let read = try XFTPBlock.decode(try XFTPBlock.pad(content), as: XFTPCommand.self, in: context)
                    switch read.message {
                    case .success(let other): #expect(expected == nil && other == command && read.authorizedData == encoded.authorizedData)
                    case .failure(let error): #expect(error == expected.map { .command($0) }, "\(command.name)")
                    }
                }
            }
        }
    }

    private static let errors: [XFTPErrorType] =
        [.block, .session, .handshake, .auth, .size, .quota, .digest, .crypto, .noFile, .hasFile, .fileIO, .timeout, .internal, .duplicate]
        + SMPCommandError.allCases.map { .command($0) }
        + BlockingInfo.Reason.allCases.flatMap { reason in
            [nil, ClientNotice(), ClientNotice(ttl: 60)].map { .blocked(BlockingInfo(reason: reason, notice: $0)) }
        }

    @Test func everyErrorComesBackFromItsTextAndItsBytes() throws {
        for error in Self.errors {
            #expect(try XFTPErrorType(wireString: error.wireString) == error)
            #expect(try XFTPErrorType(wireBytes: error.wireBytes) == error)
            for version in 1...3 as ClosedRange<UInt16> {
                let isBlocked = if case .blocked = error { true } else { false }
                let expected: XFTPErrorType = isBlocked && version < 3 ? .auth : error
                #expect(try XFTPResponse(parsing: XFTPResponse.error(error).bytes(version: version), version: version) == .error(expected))
            }
        }
        #expect(Set(Self.errors.map(\.wireString)).count == Self.errors.count)
    }

    /// Which errors a client tries again after.
    @Test func onlyTroubleOfTheRouterPasses() {
        #expect(Self.errors.filter(\.isTemporary) == [.fileIO, .timeout, .internal])
    }

    @Test(arguments: [
        "", "auth", "AUTH ", "SIZE x", "CMD", "CMD ", "CMD X", "CMD SYNTAX x", "BLOCKED", "BLOCKED x", "BLOCKED reason=", "BLOCKED reason=spam,notice=",
        "PROXY NO_SESSION", "STORE a", "DUPLICATE",
    ])
    func aTextThatIsNoErrorIsRefused(_ text: String) {
        #expect(throws: WireError.self) { try XFTPErrorType(wireString: text) }
        #expect(throws: SMPErrorType.self) { try XFTPResponse(parsing: Bytes("ERR \(text)".utf8), version: 3) }
    }

    @Test(arguments: [
        "", " ", "FNEW", "FNEW ", "FADD", "FADD ", "FADD \0", "FGET", "FGET ", "FPUT ", "FDEL x", "FACK ", "PING ", "ping", "PINGS", "FFF", "\u{FF}", "SIDS ",
        "OK",
    ])
    func wordsThatAreNoCommandsAreRefused(_ text: String) {
        let error = #expect(throws: SMPErrorType.self) { try XFTPCommand(parsing: Bytes(text.utf8), version: 3) }
        let isKnown = ["FNEW", "FADD", "FGET", "FPUT", "FDEL", "FACK", "PING"].contains(text.split(separator: " ", omittingEmptySubsequences: false)[0])
        #expect(error == .command(isKnown ? .syntax : .unknown))
    }

    @Test(arguments: ["", "SIDS", "SIDS \u{1}a", "SIDS \u{1}a\0", "RIDS \0", "RIDS", "FILE", "FILE ", "OK ", "PONG x", "ok", "FPUT"])
    func wordsThatAreNoAnswersAreRefused(_ text: String) {
        #expect(throws: SMPErrorType.self) { try XFTPResponse(parsing: Bytes(text.utf8), version: 3) }
    }

    /// Answers about a chunk name it, and those about none do not.
    @Test func answersNameTheirChunkWhereTheyHaveOne() {
        let file = XFTPResponse.file(X25519.generateKeyPair(Self.random).publicKey, .random(Self.random))
        let rules: [(XFTPResponse, withID: SMPCommandError?, without: SMPCommandError?)] = [
            (.senderIDs(EntityID([1]), recipients: [EntityID([2])]), .hasAuth, nil), (.pong, .hasAuth, nil), (.error(.auth), nil, nil), (.ok, nil, .noEntity),
            (.recipientIDs([EntityID([1])]), nil, .noEntity), (file, nil, .noEntity),
        ]
        for (answer, withID, without) in rules {
            for (entity, expected) in [(EntityID([1]), withID), (.none, without)] {
                var found: SMPErrorType?
                do throws(SMPErrorType) { try answer.checkCredentials(.none, entity: entity) } catch { found = error }
                #expect(found == expected.map { .command($0) }, "\(answer.name)")
            }
        }
    }

    @Test func errorsOfTransmissionsAreToldInTheWordsOfThisProtocol() {
        let pairs: [(SMPErrorType, XFTPErrorType)] = [
            (.block, .block), (.session, .session), (.command(.syntax), .command(.syntax)), (.auth, .auth), (.quota, .internal), (.store("x"), .internal),
            (.largeMessage, .internal),
        ]
        for (error, expected) in pairs { #expect(XFTPErrorType(error) == expected) }
    }

    /// Contents around the size of a block, less its two bytes of length.
    @Test func aBlockHolds16382BytesAndNoMore() throws {
        for count in [0, 1, 16_381, 16_382] {
            let content = Bytes(repeating: 7, count: count)
            #expect(try XFTPBlock.unpad(try XFTPBlock.pad(content)) == content)
        }
        #expect(throws: TransportError.largeMessage) { try XFTPBlock.pad(Bytes(repeating: 7, count: 16_383)) }
        var block = try XFTPBlock.pad([1])
        (block[0], block[1]) = (0x3F, 0xFF)
        #expect(throws: XFTPErrorType.block) { try XFTPBlock.unpad(block) }
        (block[0], block[1]) = (0x3F, 0xFE)
        #expect(try XFTPBlock.unpad(block).count == 16_382)
    }
}
