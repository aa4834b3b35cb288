import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

/// Which commands and answers may come with an authorisation and an id, and which must.
@Suite struct CredentialMatrixTests {
    private static let random = SeededRandomSource(seed: 71)
    private static let key = X25519.generateKeyPair(random).publicKey
    private static let authKey = PublicAuthKey.ed25519(Ed25519.generateKeyPair(random).publicKey)
    private static let data = QueueLinkData(fixedData: [1], userData: [2])

    enum Rule {
        /// Both are needed.
        case both
        /// An authorisation, and no id.
        case authorizationOnly
        /// An id; an authorisation may come.
        case entity
        /// An id, and no authorisation.
        case entityOnly
        case neither

        /// The error for each combination.
        func error(authorized: Bool, hasEntity: Bool) -> SMPCommandError? {
            switch self {
            case .both: authorized && hasEntity ? nil : .noAuth
            case .authorizationOnly: !authorized ? .noAuth : hasEntity ? .hasAuth : nil
            case .entity: hasEntity ? nil : .noEntity
            case .entityOnly: !hasEntity ? .noEntity : authorized ? .hasAuth : nil
            case .neither: authorized || hasEntity ? .hasAuth : nil
            }
        }
    }

    private static let credentials = NotificationCredentials(notifierKey: authKey, encryptionKey: key)
    static let commands: [(SMPCommand, Rule)] =
        [
            (.new(NewQueueRequest(recipientKey: authKey, encryptionKey: key)), .authorizationOnly), (.sub, .both), (.subs(.none), .both),
            (.key(authKey), .both),
            (.rkey([authKey]), .both), (.lset(LinkID([1]), data), .both), (.ldel, .both), (.nkey(credentials), .both), (.ndel, .both), (.get, .both),
            (.ack(MessageID([1])), .both), (.off, .both), (.del, .both), (.que, .both), (.skey(authKey), .both), (.lkey(authKey), .both), (.nsub, .both),
            (.nsubs(.none), .both), (.send(MessageFlags(), [1]), .entity), (.lget, .entityOnly),
            (.pfwd(ForwardedCommand(version: 17, key: key, encryptedTransmission: [1])), .entityOnly), (.ping, .neither),
            (.prxy(SMPServerAddress(host: .ipv4(127, 0, 0, 1), keyHash: .none), nil), .neither), (.rfwd([1]), .neither),
        ] + NameCodecTests.domains.map { (.rslv($0), .neither) }

    @Test func everyCommandHasARule() { #expect(Set(Self.commands.map(\.0.tag)) == Set(SMPCommand.Tag.allCases)) }

    @Test(arguments: commands.indices)
    func aCommandIsReadWithTheCredentialsOfItsRuleAndRefusedWithOthers(_ index: Int) throws {
        let (command, rule) = Self.commands[index]
        let authorizations: [TransmissionAuthorization] = [
            .none, .signature(Bytes(repeating: 1, count: 64)), .signature(Bytes(repeating: 1, count: 114)), .authenticator(Bytes(repeating: 1, count: 80)),
        ]
        for version: UInt16 in [9, 15, 18, 20] {
            let context = TransmissionContext(version: version, sessionID: Bytes(repeating: 1, count: 32))
            for authorization in authorizations {
                for entity in [EntityID.none, EntityID([1]), EntityID(Bytes(repeating: 2, count: 255))] {
                    let encoded = context.encode(command, correlationID: CorrelationID(Bytes(repeating: 3, count: 24)), entity: entity)
                    let block = try #require(TransmissionBatcher.pack(one: context.authorized(encoded, authorization)))
                    let received = try #require(context.decode(block: block, as: SMPCommand.self).first)
                    let expected = rule.error(authorized: !authorization.isNone, hasEntity: !entity.isNone)
                    switch received.message {
                    case .success(let read):
                        #expect(expected == nil && read.tag == command.tag)
                        #expect(received.authorization == authorization && received.entity == entity)
                    case .failure(let error): #expect(error == expected.map { .command($0) })
                    }
                    #expect(received.correlationID.bytes.count == 24, "who is refused must find out which command it was")
                }
            }
        }
    }

    /// Sizes around those that an authorisation can have.
    @Test(arguments: [1, 32, 63, 65, 79, 81, 113, 115, 255])
    func anAuthorisationOfAnotherSizeIsABadBlockWithTheIdOfItsCommand(_ size: Int) throws {
        let context = TransmissionContext(version: 15, sessionID: Bytes(repeating: 1, count: 32))
        let id = CorrelationID(Bytes(repeating: 3, count: 24))
        let encoded = context.encode(SMPCommand.sub, correlationID: id, entity: EntityID([1]))
        let block = [1] + LargeBytes(ShortBytes(Bytes(repeating: 1, count: size)).wireBytes + encoded.sentData).wireBytes
        let received = context.decode(block: block, as: SMPCommand.self)
        #expect(received.map(\.message) == [.failure(.block)] && received.map(\.correlationID) == [id])
    }

    private enum Subject { case required, forbidden, any }

    private static let certified = CertifiedKey(certificateChain: [[1]], signedKey: [2])
    private static let answers: [(SMPBrokerMessage, Subject)] =
        [
            (.ids(QueueIDsAndKeys(recipientID: EntityID([1]), senderID: EntityID([2]), serverKey: key)), .any), (.err(.auth), .any),
            (.pong, .forbidden), (.pkey(RelaySession(sessionID: [1], versions: VersionRange(8), key: certified)), .forbidden), (.rres([1]), .forbidden),
            (.lnk(EntityID([1]), data), .required), (.sok(nil), .required), (.soks(ServiceQueues(count: 1)), .required),
            (.msg(ReceivedMessage(id: MessageID([1]), encryptedBody: [1])), .required), (.nid(EntityID([1]), key), .required),
            (.nmsg(BoxNonce.random(random), [1]), .required), (.pres([1]), .required), (.end, .required), (.ends(ServiceQueues(count: 1)), .required),
            (.deld, .required),
            (.info(QueueState(isSecured: true, hasNotifier: false, size: 0)), .required), (.ok, .required),
            (.alls, .forbidden),
        ] + NameCodecTests.records.map { (.rname($0), .forbidden) }

    @Test func answersNameASubjectWhereTheyHaveOne() {
        #expect(Set(Self.answers.map(\.0.tag)) == Set(SMPBrokerMessage.Tag.allCases))
        for (answer, subject) in Self.answers {
            for entity in [EntityID.none, EntityID([7])] {
                let expected: SMPErrorType? =
                    switch subject {
                    case .any: nil
                    case .required: entity.isNone ? .command(.noEntity) : nil
                    case .forbidden: entity.isNone ? nil : .command(.hasAuth)
                    }
                var found: SMPErrorType?
                do throws(SMPErrorType) { try answer.checkCredentials(.none, entity: entity) } catch { found = error }
                #expect(found == expected, "\(answer.name)")
            }
        }
    }
}
