import SMPCrypto
package import SMPWire

extension SMPCommand {
    /// The word that begins the command.
    package enum Tag: String, Sendable, CaseIterable {
        case new = "NEW", sub = "SUB", subs = "SUBS", key = "KEY", rkey = "RKEY", lset = "LSET", ldel = "LDEL", nkey = "NKEY"
        case ndel = "NDEL", get = "GET", ack = "ACK", off = "OFF", del = "DEL", que = "QUE", skey = "SKEY", send = "SEND"
        case ping = "PING", lkey = "LKEY", lget = "LGET", nsub = "NSUB", nsubs = "NSUBS", prxy = "PRXY", pfwd = "PFWD"
        case rfwd = "RFWD", rslv = "RSLV"
    }

    package var tag: Tag {
        switch self {
        case .new: .new
        case .sub: .sub
        case .subs: .subs
        case .key: .key
        case .rkey: .rkey
        case .lset: .lset
        case .ldel: .ldel
        case .nkey: .nkey
        case .ndel: .ndel
        case .get: .get
        case .ack: .ack
        case .off: .off
        case .del: .del
        case .que: .que
        case .skey: .skey
        case .send: .send
        case .ping: .ping
        case .lkey: .lkey
        case .lget: .lget
        case .nsub: .nsub
        case .nsubs: .nsubs
        case .prxy: .prxy
        case .pfwd: .pfwd
        case .rfwd: .rfwd
        case .rslv: .rslv
        }
    }
}

extension SMPCommand: SMPMessage {
    /// Appends the command as the given version has it.
    ///
    /// - Precondition: an `RKEY` has at most 255 keys.
    package func encode(to writer: inout WireWriter, version: UInt16) {
        writer.write(text: tag.rawValue)
        switch self {
        case .sub, .ldel, .ndel, .get, .off, .del, .que, .ping, .lget, .nsub: return
        case .subs, .nsubs: if version < SMPVersion.serviceSubscriptions { return }
        default: break
        }
        writer.write(byte: UInt8(ascii: " "))
        switch self {
        case .sub, .ldel, .ndel, .get, .off, .del, .que, .ping, .lget, .nsub: break
        case .subs(let queues), .nsubs(let queues): queues.encode(to: &writer, version: version)
        case .new(let request): request.encode(to: &writer, version: version)
        case .key(let key), .skey(let key), .lkey(let key): writer.write(key)
        case .rkey(let keys): writer.write(list: keys)
        case .lset(let link, let data):
            writer.write(link)
            writer.write(data)
        case .nkey(let credentials): writer.write(credentials)
        case .ack(let message): writer.write(message)
        case .send(let flags, let body):
            writer.write(flags)
            writer.write(byte: UInt8(ascii: " "))
            writer.write(raw: body)
        case .prxy(let server, let auth):
            writer.write(server)
            writer.write(optional: auth)
        case .pfwd(let forwarded): forwarded.encode(to: &writer)
        case .rfwd(let transmission): writer.write(raw: transmission)
        case .rslv(let domain): writer.write(domain)
        }
    }

    package var sizeHint: Int {
        switch self {
        case .send(_, let body): 16 + body.count
        case .lset(_, let data): 64 + data.fixedData.count + data.userData.count
        case .pfwd(let forwarded): 64 + forwarded.encryptedTransmission.count
        case .rfwd(let transmission): 16 + transmission.count
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

    private static func parse(_ tag: Tag, _ parser: inout WireParser, version: UInt16) throws(WireError) -> SMPCommand {
        switch tag {
        case .sub: return .sub
        case .subs where version < SMPVersion.serviceSubscriptions: return .subs(.unknown)
        case .ldel: return .ldel
        case .ndel: return .ndel
        case .get: return .get
        case .off: return .off
        case .del: return .del
        case .que: return .que
        case .ping: return .ping
        case .lget: return .lget
        case .nsub: return .nsub
        case .nsubs where version < SMPVersion.serviceSubscriptions: return .nsubs(.unknown)
        default: try parser.expect(UInt8(ascii: " "))
        }
        switch tag {
        case .new: return .new(try NewQueueRequest(from: &parser, version: version))
        case .key: return .key(try parser.read())
        case .skey: return .skey(try parser.read())
        case .lkey: return .lkey(try parser.read())
        case .rkey: return .rkey(try parser.nonEmptyList())
        case .lset: return .lset(try parser.read(), try parser.read())
        case .nkey: return .nkey(try parser.read())
        case .ack: return .ack(try parser.read())
        case .send:
            let flags = try parser.read(MessageFlags.self)
            try parser.expect(UInt8(ascii: " "))
            return .send(flags, parser.rest())
        case .prxy: return .prxy(try parser.read(), try parser.optional())
        case .pfwd: return .pfwd(try ForwardedCommand(from: &parser))
        case .rfwd: return .rfwd(parser.rest())
        case .subs: return .subs(try ServiceQueues(from: &parser, version: version))
        case .nsubs: return .nsubs(try ServiceQueues(from: &parser, version: version))
        case .rslv:
            let domain = try parser.read(SimpleXDomain.self)
            // Later versions may say more behind a space.
            _ = parser.rest()
            return .rslv(domain)
        case .sub, .ldel, .ndel, .get, .off, .del, .que, .ping, .lget, .nsub:
            throw parser.error(.invalidValue, "a command without parameters")
        }
    }

    /// Which commands must, may or must not have an authorisation and an entity.
    package func checkCredentials(_ authorization: TransmissionAuthorization, entity: EntityID) throws(SMPErrorType) {
        switch self {
        case .new:
            if authorization.isNone { throw .command(.noAuth) }
            if !entity.isNone { throw .command(.hasAuth) }
        case .send:
            if entity.isNone { throw .command(.noEntity) }
        case .lget, .pfwd:
            if entity.isNone { throw .command(.noEntity) }
            if !authorization.isNone { throw .command(.hasAuth) }
        case .ping, .prxy, .rfwd, .rslv:
            if !authorization.isNone || !entity.isNone { throw .command(.hasAuth) }
        default:
            if authorization.isNone || entity.isNone { throw .command(.noAuth) }
        }
    }

    /// True if a service's session signs the command with the key of the service, too.
    package var usesServiceSignature: Bool {
        switch self {
        case .new, .sub, .nsub: true
        default: false
        }
    }
}

extension NewQueueRequest {
    func encode(to writer: inout WireWriter, version: UInt16) {
        writer.write(recipientKey)
        writer.write(encryptionKey)
        guard version >= SMPVersion.senderKey else {
            if let basicAuth {
                writer.write(byte: UInt8(ascii: "A"))
                writer.write(basicAuth)
            }
            return writer.write(subscription)
        }
        writer.write(optional: basicAuth)
        writer.write(subscription)
        guard version >= SMPVersion.shortLinks else {
            return writer.write(mode?.queueMode.senderCanSecure ?? false)
        }
        writer.write(optional: mode)
        if version >= SMPVersion.newNotificationCredentials { writer.write(optional: notifications) }
    }

    init(from parser: inout WireParser, version: UInt16) throws(WireError) {
        recipientKey = try parser.read()
        encryptionKey = try parser.read()
        if version >= SMPVersion.senderKey {
            basicAuth = try parser.optional()
        } else {
            basicAuth = parser.skip(UInt8(ascii: "A")) ? try parser.read() : nil
        }
        subscription = try parser.read()
        if version >= SMPVersion.shortLinks {
            mode = try parser.optional()
        } else if version >= SMPVersion.senderKey {
            mode = try parser.read() ? .messaging(link: nil) : .contact(link: nil)
        } else {
            mode = nil
        }
        notifications = version >= SMPVersion.newNotificationCredentials ? try parser.optional() : nil
    }
}

extension NewQueueMode: WireCodable {
    package func encode(to writer: inout WireWriter) {
        writer.write(queueMode)
        switch self {
        case .messaging(let link):
            writer.write(optional: link) { writer, link in
                writer.write(link.senderID)
                writer.write(link.data)
            }
        case .contact(let link):
            writer.write(optional: link) { writer, link in
                writer.write(link.linkID)
                writer.write(link.senderID)
                writer.write(link.data)
            }
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        switch try parser.read(QueueMode.self) {
        case .messaging:
            self = .messaging(
                link: try parser.optional { parser throws(WireError) in
                    MessagingLink(senderID: try parser.read(), data: try parser.read())
                })
        case .contact:
            self = .contact(
                link: try parser.optional { parser throws(WireError) in
                    ContactLink(linkID: try parser.read(), senderID: try parser.read(), data: try parser.read())
                })
        }
    }
}
