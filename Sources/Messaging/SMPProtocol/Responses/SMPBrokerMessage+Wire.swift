import SMPCrypto
package import SMPWire

extension SMPBrokerMessage: SMPMessage {
    package enum Tag: String, Sendable, CaseIterable {
        case ids = "IDS", lnk = "LNK", sok = "SOK", soks = "SOKS", msg = "MSG", nid = "NID", nmsg = "NMSG", pkey = "PKEY"
        case rres = "RRES", pres = "PRES", end = "END", ends = "ENDS", deld = "DELD", info = "INFO", ok = "OK", err = "ERR"
        case pong = "PONG", alls = "ALLS", rname = "RNAME"
    }

    /// The name of the message in the protocol, for errors that must not show its content.
    package var name: String { tag.rawValue }

    package var tag: Tag {
        switch self {
        case .ids: .ids
        case .lnk: .lnk
        case .sok: .sok
        case .soks: .soks
        case .msg: .msg
        case .nid: .nid
        case .nmsg: .nmsg
        case .pkey: .pkey
        case .rres: .rres
        case .pres: .pres
        case .end: .end
        case .ends: .ends
        case .deld: .deld
        case .info: .info
        case .ok: .ok
        case .err: .err
        case .pong: .pong
        case .alls: .alls
        case .rname: .rname
        }
    }

    /// Appends the message as the given version has it: what an older version does not know becomes what it does.
    package func encode(to writer: inout WireWriter, version: UInt16) {
        switch self {
        case .end, .ok, .pong, .alls: return writer.write(text: tag.rawValue)
        case .deld:
            return writer.write(text: (version >= SMPVersion.deletedEvent ? Tag.deld : .end).rawValue)
        case .sok where version < SMPVersion.serviceCertificates: return writer.write(text: Tag.ok.rawValue)
        default: break
        }
        writer.write(text: tag.rawValue)
        writer.write(byte: UInt8(ascii: " "))
        switch self {
        case .ids(let ids): ids.encode(to: &writer, version: version)
        case .lnk(let sender, let data):
            writer.write(sender)
            writer.write(data)
        case .sok(let service): writer.write(optional: service)
        case .soks(let queues), .ends(let queues): queues.encode(to: &writer, version: version)
        case .msg(let message):
            writer.write(message.id)
            writer.write(raw: message.encryptedBody)
        case .nid(let notifier, let key):
            writer.write(notifier)
            writer.write(key)
        case .nmsg(let nonce, let meta):
            writer.write(nonce)
            writer.write(short: meta)
        case .pkey(let session): writer.write(session)
        case .rres(let response), .pres(let response): writer.write(raw: response)
        case .info(let state): writer.write(text: state.json)
        case .err(let error): writer.write(error.adapted(to: version))
        case .rname(let record): writer.write(raw: record.json)
        case .end, .deld, .ok, .pong, .alls: break
        }
    }

    package var sizeHint: Int {
        switch self {
        case .msg(let message): 64 + message.encryptedBody.count
        case .lnk(_, let data): 64 + data.fixedData.count + data.userData.count
        case .rres(let response), .pres(let response): 16 + response.count
        case .rname(let record): 16 + record.json.count
        case .end, .deld, .ok, .pong, .alls, .sok: 32
        default: 256
        }
    }

    package init(parsing parser: inout WireParser, version: UInt16) throws(SMPErrorType) {
        guard let tag = Tag(rawValue: parser.word()) else { throw .command(.unknown) }
        do {
            self = try Self.parse(tag, &parser, version: version)
            try parser.finish()
        } catch {
            throw .command(.syntax)
        }
    }

    private static func parse(_ tag: Tag, _ parser: inout WireParser, version: UInt16) throws(WireError) -> SMPBrokerMessage {
        switch tag {
        case .end: return .end
        case .deld: return .deld
        case .ok: return .ok
        case .pong: return .pong
        case .alls: return .alls
        default: try parser.expect(UInt8(ascii: " "))
        }
        switch tag {
        case .ids: return .ids(try QueueIDsAndKeys(from: &parser, version: version))
        case .lnk: return .lnk(try parser.read(), try parser.read())
        case .sok: return .sok(try parser.optional())
        case .soks: return .soks(try ServiceQueues(from: &parser, version: version))
        case .msg: return .msg(ReceivedMessage(id: try parser.read(), encryptedBody: parser.rest()))
        case .nid: return .nid(try parser.read(), try parser.read())
        case .nmsg: return .nmsg(try parser.read(), try parser.short())
        case .pkey: return .pkey(try parser.read())
        case .rres: return .rres(parser.rest())
        case .pres: return .pres(parser.rest())
        case .ends: return .ends(try ServiceQueues(from: &parser, version: version))
        case .info: return .info(try QueueState(json: &parser))
        case .err: return .err(try parser.read())
        case .rname:
            let start = parser.offset
            do throws(WireError) {
                return .rname(try NameRecord(json: parser.rest()))
            } catch {
                throw WireError(error.code, error.subject, at: start)
            }
        case .end, .deld, .ok, .pong, .alls: throw parser.error(.invalidValue, "a message without parameters")
        }
    }

    /// Which messages must or must not name an entity.
    package func checkCredentials(_: TransmissionAuthorization, entity: EntityID) throws(SMPErrorType) {
        switch self {
        case .ids, .err: break
        case .pong, .pkey, .rres, .alls, .rname: if !entity.isNone { throw .command(.hasAuth) }
        default: if entity.isNone { throw .command(.noEntity) }
        }
    }
}

extension QueueIDsAndKeys {
    func encode(to writer: inout WireWriter, version: UInt16) {
        writer.write(recipientID)
        writer.write(senderID)
        writer.write(serverKey)
        guard version >= SMPVersion.shortLinks else {
            if version >= SMPVersion.senderKey { writer.write(mode?.senderCanSecure ?? false) }
            return
        }
        writer.write(optional: mode)
        writer.write(optional: linkID)
        if version >= SMPVersion.serviceCertificates { writer.write(optional: serviceID) }
        if version >= SMPVersion.newNotificationCredentials { writer.write(optional: notifications) }
    }

    init(from parser: inout WireParser, version: UInt16) throws(WireError) {
        recipientID = try parser.read()
        senderID = try parser.read()
        serverKey = try parser.read()
        if version >= SMPVersion.shortLinks {
            mode = try parser.optional()
            linkID = try parser.optional()
        } else {
            mode = version >= SMPVersion.senderKey ? (try parser.read() ? .messaging : .contact) : nil
        }
        serviceID = version >= SMPVersion.serviceCertificates ? try parser.optional() : nil
        notifications = version >= SMPVersion.newNotificationCredentials ? try parser.optional() : nil
    }
}
