import Foundation
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

@Suite struct ResponseVectorTests {
    @Test(arguments: try Vectors.cases("smp_transport", kinds: "response"))
    func aResponseHasTheRecordedEncodingInEveryVersionAndReadsBack(_ item: VectorCase) throws {
        let response = try item.response()
        for (versions, bytes) in try encodings(item) {
            for version in versions where version != 13 {
                #expect(response.bytes(version: version) == bytes, "version \(version)")
                let parsed = try SMPBrokerMessage(parsing: bytes, version: version)
                #expect(parsed.bytes(version: version) == bytes, "version \(version)")
            }
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "response").filter { !$0["error_str"].isNull })
    func anErrorHasTheRecordedTextAndJSON(_ item: VectorCase) throws {
        guard case .err(let error) = try item.response() else { throw VectorError(description: "no error") }
        let text = try item["error_str"].text()
        #expect(error.wireString == text)
        if !text.contains("NETWORK") { #expect(try SMPErrorType(wireString: text) == error) }
        #expect(try VectorValue(json: try JSONEncoder().encode(error)) == item["error_json"])
        #expect(try JSONDecoder().decode(SMPErrorType.self, from: try item["error_json"].json()) == error)
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "response-decode"))
    func anErrorOfAnotherVersionIsReadOrRefusedAsRecorded(_ item: VectorCase) throws {
        let bytes = try item.hex("hex")
        let version = UInt16(try item["version"].integer())
        guard !item["error_json"].isNull else {
            #expect(throws: SMPErrorType.command(.syntax)) { try SMPBrokerMessage(parsing: bytes, version: version) }
            return
        }
        let expected = try JSONDecoder().decode(SMPErrorType.self, from: try item["error_json"].json())
        #expect(try SMPBrokerMessage(parsing: bytes, version: version) == .err(expected))
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "transport-error"))
    func aTransportErrorReadsAndPrints(_ item: VectorCase) throws {
        let bytes = try item.hex("hex")
        let error = try TransportError(wireBytes: bytes)
        #expect(error.wireBytes == bytes)
        #expect("transport error \(String(decoding: bytes, as: UTF8.self))" == item.name)
        #expect(try JSONDecoder().decode(TransportError.self, from: try JSONEncoder().encode(error)) == error)
    }

    @Test func proxyErrorsNestedWithoutEndAreRefused() {
        let hostile = String(repeating: "PROXY PROTOCOL ", count: 100_000) + "AUTH"
        #expect(throws: WireError.self) { try SMPErrorType(wireString: hostile) }
        #expect(throws: WireError.self) { try SMPErrorType(wireBytes: Bytes(hostile.utf8)) }
    }

    @Test func anErrorTextTooLongForTheWireIsCut() throws {
        let error = SMPErrorType.proxy(.broker(.response(String(repeating: "é", count: 300))))
        let parsed = try SMPErrorType(wireBytes: error.wireBytes)
        guard case .proxy(.broker(.response(let text))) = parsed else { throw VectorError(description: "another error") }
        #expect(text.hasPrefix(String(repeating: "é", count: 127)))
    }
}

extension VectorCase {
    /// The response that the fields of a recorded case describe.
    func response() throws -> SMPBrokerMessage {
        switch String(name.prefix { $0 != " " }) {
        case "IDS":
            let mode = try self["queue_mode"].string.map { try QueueMode(wireBytes: Bytes($0.utf8)) }
            return .ids(
                QueueIDsAndKeys(
                    recipientID: EntityID(try hex("rcv_id")), senderID: EntityID(try hex("snd_id")),
                    serverKey: try X25519.PublicKey(spki: try hex("srv_dh_key_spki")), mode: mode,
                    linkID: self["link_id"].hex.map(EntityID.init), serviceID: self["service_id"].hex.map(EntityID.init),
                    notifications: try self["ntf_id"].hex.map {
                        ServerNotificationCredentials(
                            notifierID: EntityID($0), serverKey: try X25519.PublicKey(spki: try hex("ntf_srv_dh_key_spki")))
                    }))
        case "LNK": return .lnk(EntityID(try hex("sender_id")), try linkData(self["data"]))
        case "SOK": return .sok(self["service_id"].hex.map(EntityID.init))
        case "SOKS": return .soks(ServiceQueues(count: try self["count"].integer()))
        case "MSG":
            return .msg(ReceivedMessage(id: MessageID(try hex("msg_id")), encryptedBody: try hex("encrypted_body")))
        case "NID": return .nid(EntityID(try hex("ntf_id")), try X25519.PublicKey(spki: try hex("ntf_srv_dh_key_spki")))
        case "NMSG": return .nmsg(try BoxNonce(try hex("nonce")), try hex("encrypted_meta"))
        case "PKEY":
            let chain = try self["cert_chain_der"].list().map { try $0.bytes() }
            let key = CertifiedKey(certificateChain: chain, signedKey: try hex("signed_key_der"))
            #expect(try key.verifiedX25519Key().spki == hex("signed_key_x25519_spki"))
            return .pkey(
                RelaySession(sessionID: try hex("relay_session_id"), versions: try self["versions"].versionRange(), key: key))
        case "RRES": return .rres(try hex("encrypted"))
        case "PRES": return .pres(try hex("encrypted"))
        case "END": return .end
        case "ENDS": return .ends(ServiceQueues(count: try self["count"].integer()))
        case "DELD": return .deld
        case "INFO":
            guard name.hasSuffix("full") else { return .info(QueueState(isSecured: true, hasNotifier: false, size: 0)) }
            return .info(
                QueueState(
                    isSecured: true, hasNotifier: true,
                    subscription: .init(state: .subPending, deliveredMessageID: "AAECAw=="), size: 3,
                    firstMessage: .init(id: "AAEC", timestamp: "2024-05-06T07:08:09Z", kind: .message)))
        case "OK": return .ok
        case "PONG": return .pong
        case "ERR": return .err(try JSONDecoder().decode(SMPErrorType.self, from: try self["error_json"].json()))
        default: throw VectorError(description: "unknown response \(name)")
        }
    }
}
