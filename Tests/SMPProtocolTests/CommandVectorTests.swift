import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

@Suite struct CommandVectorTests {
    @Test(arguments: try Vectors.cases("smp_transport", kinds: "command"))
    func aCommandHasTheRecordedEncodingInEveryVersionAndReadsBack(_ item: VectorCase) throws {
        let command = try item.command()
        for (versions, bytes) in try encodings(item) {
            for version in versions where version != 13 {
                #expect(command.bytes(version: version) == bytes, "version \(version)")
                let parsed = try SMPCommand(parsing: bytes, version: version)
                #expect(parsed.bytes(version: version) == bytes, "version \(version)")
                if version >= SMPVersion.newNotificationCredentials { #expect(parsed == command) }
            }
        }
    }
}

extension VectorCase {
    /// The command that the fields of a recorded case describe.
    func command() throws -> SMPCommand {
        switch String(name.prefix { $0 != " " }) {
        case "NEW":
            return .new(
                NewQueueRequest(
                    recipientKey: try PublicAuthKey(spki: try hex("rcv_auth_key_spki")),
                    encryptionKey: try X25519.PublicKey(spki: try hex("rcv_dh_key_spki")),
                    basicAuth: try basicAuth(),
                    subscription: try bool("subscribe") ? .subscribe : .onlyCreate,
                    mode: try newQueueMode(),
                    notifications: self["ntf"].isNull ? nil : try notificationCredentials(self["ntf"])))
        case "SUB": return .sub
        case "SUBS": return .subs(.unknown)
        case "KEY": return .key(try PublicAuthKey(spki: try hex("key_spki")))
        case "RKEY":
            let keys = try self["keys_spki"].list()
            return .rkey(try keys.map { try PublicAuthKey(spki: try $0.bytes()) })
        case "LSET": return .lset(LinkID(try hex("link_id")), try linkData(self["data"]))
        case "LDEL": return .ldel
        case "NKEY": return .nkey(try notificationCredentials(value))
        case "NDEL": return .ndel
        case "GET": return .get
        case "ACK": return .ack(MessageID(try hex("msg_id")))
        case "OFF": return .off
        case "DEL": return .del
        case "QUE": return .que
        case "SKEY": return .skey(try PublicAuthKey(spki: try hex("key_spki")))
        case "SEND":
            return .send(MessageFlags(notification: try bool("notification")), try hex("body"))
        case "PING": return .ping
        case "LKEY": return .lkey(try PublicAuthKey(spki: try hex("key_spki")))
        case "LGET": return .lget
        case "NSUB": return .nsub
        case "NSUBS": return .nsubs(.unknown)
        case "PRXY":
            return .prxy(try SMPServerAddress(wireString: try self["server"].text()), try basicAuth())
        case "PFWD":
            return .pfwd(
                ForwardedCommand(
                    version: UInt16(try self["version"].integer()), key: try X25519.PublicKey(spki: try hex("key_spki")),
                    encryptedTransmission: try hex("encrypted")))
        case "RFWD": return .rfwd(try hex("encrypted"))
        default: throw VectorError(description: "unknown command \(name)")
        }
    }

    private func basicAuth() throws -> BasicAuth? {
        guard let text = self["basic_auth"].string else { return nil }
        return try BasicAuth(wireString: text)
    }

    private func newQueueMode() throws -> NewQueueMode? {
        let mode = self["queue_mode"]
        let link = mode["link"]
        guard !mode.isNull else { return nil }
        switch mode["mode"].string {
        case "messaging":
            guard !link.isNull else { return .messaging(link: nil) }
            let sender = SenderID(try link["sender_id"].bytes())
            return .messaging(link: .init(senderID: sender, data: try linkData(link["data"])))
        case "contact":
            guard !link.isNull else { return .contact(link: nil) }
            return .contact(
                link: .init(
                    linkID: LinkID(try link["link_id"].bytes()), senderID: SenderID(try link["sender_id"].bytes()),
                    data: try linkData(link["data"])))
        default: throw VectorError(description: "unknown queue mode")
        }
    }

    private func notificationCredentials(_ value: VectorValue) throws -> NotificationCredentials {
        NotificationCredentials(
            notifierKey: try PublicAuthKey(spki: try value["ntf_auth_key_spki"].bytes()),
            encryptionKey: try X25519.PublicKey(spki: try value["ntf_dh_key_spki"].bytes()))
    }
}
