import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport
import XFTPProtocol

@Suite struct CommandVectorTests {
    @Test(arguments: try Vectors.cases("xftp", kinds: "xftp-command"))
    func aCommandHasTheRecordedEncodingAndReadsBack(_ item: VectorCase) throws {
        let command = try item.command()
        let bytes = try item.hex("hex")
        #expect(command.bytes(version: 3) == bytes)
        #expect(try XFTPCommand(parsing: bytes, version: 3) == command)
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "xftp-response"))
    func anAnswerHasTheRecordedEncodingInEveryVersionAndReadsBack(_ item: VectorCase) throws {
        let response = try item.response()
        let bytes = try item.hex("hex")
        #expect(response.bytes(version: 3) == bytes)
        #expect(try XFTPResponse(parsing: bytes, version: 3) == response)
        for version in UInt16(1)...2 { #expect(response.bytes(version: version) == item["hex_v2"].hex ?? bytes, "version \(version)") }
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "xftp-command", "xftp-response"))
    func whatIsCutOffOrHasMoreBehindItIsRefused(_ item: VectorCase) throws {
        let bytes = try item.hex("hex")
        let isCommand = item.kind == "xftp-command"
        // The reason of a blocked file and its notice are texts whose beginnings can be read as well.
        guard !item.name.contains("BLOCKED"), !item.name.contains("CMD") else { return }
        for count in 0..<bytes.count {
            let part = Bytes(bytes[..<count])
            if isCommand { #expect(throws: SMPErrorType.self) { try XFTPCommand(parsing: part, version: 3) } }
            if !isCommand { #expect(throws: SMPErrorType.self) { try XFTPResponse(parsing: part, version: 3) } }
        }
        if isCommand { #expect(throws: SMPErrorType.self) { try XFTPCommand(parsing: bytes + [0], version: 3) } }
        if !isCommand { #expect(throws: SMPErrorType.self) { try XFTPResponse(parsing: bytes + [0], version: 3) } }
    }

    @Test func aCommandWithoutTheCredentialsThatItNeedsIsRefused() throws {
        let id = EntityID([1, 2, 3])
        let signature = TransmissionAuthorization.signature(Bytes(repeating: 1, count: 64))
        let key = try Ed25519.PrivateKey(raw: Bytes(repeating: 7, count: 32)).publicKey
        let new = XFTPCommand.new(FileInfo(senderKey: .ed25519(key), size: 65_536, digest: []), recipients: [.ed25519(key)], basicAuth: nil)
        #expect(throws: SMPErrorType.command(.noAuth)) { try new.checkCredentials(.none, entity: .none) }
        #expect(throws: SMPErrorType.command(.hasAuth)) { try new.checkCredentials(signature, entity: id) }
        #expect(throws: SMPErrorType.command(.hasAuth)) { try XFTPCommand.ping.checkCredentials(signature, entity: .none) }
        for command in [XFTPCommand.put, .delete, .acknowledge, .add(recipients: [.ed25519(key)])] {
            #expect(throws: SMPErrorType.command(.noAuth)) { try command.checkCredentials(.none, entity: id) }
            #expect(throws: SMPErrorType.command(.noAuth)) { try command.checkCredentials(signature, entity: .none) }
            #expect(throws: Never.self) { try command.checkCredentials(signature, entity: id) }
        }
    }
}

extension VectorCase {
    private func keys() throws -> [PublicAuthKey] { try list("recipient_keys_spki").map { try PublicAuthKey(spki: try $0.bytes()) } }
    private func ids() throws -> [EntityID] { try list("recipient_ids").map { EntityID(try $0.bytes()) } }

    func command() throws -> XFTPCommand {
        switch String(name.prefix { $0 != " " }) {
        case "FNEW":
            let file = self["file"]
            let info = FileInfo(
                senderKey: try PublicAuthKey(spki: try file["sender_key_spki"].bytes()), size: UInt32(try file["size"].integer()),
                digest: try file["digest"].bytes())
            return .new(info, recipients: try keys(), basicAuth: try self["basic_auth"].string.map { try BasicAuth(wireString: $0) })
        case "FADD": return .add(recipients: try keys())
        case "FPUT": return .put
        case "FDEL": return .delete
        case "FGET": return .get(try X25519.PublicKey(spki: try hex("dh_key_spki")))
        case "FACK": return .acknowledge
        case "PING": return .ping
        default: throw VectorError(description: "unknown command \(name)")
        }
    }

    func response() throws -> XFTPResponse {
        switch String(name.prefix { $0 != " " }) {
        case "SIDS": return .senderIDs(SenderID(try hex("sender_id")), recipients: try ids())
        case "RIDS": return .recipientIDs(try ids())
        case "FILE": return .file(try X25519.PublicKey(spki: try hex("dh_key_spki")), try BoxNonce(try hex("nonce")))
        case "OK": return .ok
        case "PONG": return .pong
        case "ERR": return .error(try error())
        default: throw VectorError(description: "unknown answer \(name)")
        }
    }

    private func error() throws -> XFTPErrorType {
        let json = self["error_json"]
        switch try json["type"].text() {
        case "CMD":
            let word = try json["cmdErr"]["type"].text()
            return .command(try #require(SMPCommandError(rawValue: word)))
        case "BLOCKED":
            let info = json["blockInfo"]
            let notice = info["notice"].isNull ? nil : ClientNotice(ttl: info["notice"]["ttl"].int)
            let reason = BlockingInfo.Reason(rawValue: try info["reason"].text())
            return .blocked(BlockingInfo(reason: try #require(reason), notice: notice))
        case let word: return try XFTPErrorType(wireString: word)
        }
    }
}
