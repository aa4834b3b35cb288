import ChatProtocol
import SMPCrypto
import SMPWire
import TestSupport
import Testing

@Suite("Rosters of channels")
struct RosterTests {
    private static let key = Ed25519.generateKeyPair(SeededRandomSource(seed: 3)).publicKey

    private static func member(_ number: Int, _ role: GroupMemberRole = .member) -> RosterMember {
        RosterMember(memberID: MemberID([UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]), key: key, role: role)
    }

    private func event(_ json: String) throws -> ChatMessageEvent { try ChatMessage(body: Bytes(json.utf8)).event }

    @Test("a list has a count in two bytes, then identifiers, keys, roles and privileges")
    func encoding() throws {
        var writer = WireWriter()
        writer.write(raw: [0, 1, 2, 0, 7, 44])
        writer.write(raw: [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00])
        writer.write(raw: Self.key.raw)
        writer.write(raw: [9])
        writer.write(text: "moderator")
        writer.write(raw: [0, 0])
        let list = RosterList([Self.member(7, .moderator)])
        #expect(list.wireBytes == writer.bytes)
        #expect(try RosterList(wireBytes: writer.bytes) == list)
        #expect(RosterList([]).wireBytes == [0, 0])
    }

    @Test("a list with more members than a roster may have is not read, whatever follows, and is cut when it is made")
    func bound() throws {
        let most = RosterList((0..<ChatLimits.rosterMembers).map { Self.member($0) })
        #expect(try RosterList(wireBytes: most.wireBytes).members.count == 256)
        #expect(RosterList((0..<300).map { Self.member($0) }).members.count == 256)
        var bytes = most.wireBytes
        (bytes[0], bytes[1]) = (1, 1)
        bytes += Self.member(256).wireBytes
        #expect(throws: WireError.self) { try RosterList(wireBytes: bytes) }
        #expect(throws: WireError.self) { try RosterList(wireBytes: [255, 255]) }
        let longest = RosterMember(memberID: MemberID(Bytes(repeating: 1, count: 32)), key: Self.key, role: .moderator)
        #expect(RosterList(Array(repeating: longest, count: 256)).wireBytes.count < ChatLimits.rosterBytes)
    }

    @Test("a list that is cut anywhere, or goes on after its end, is not read")
    func cut() throws {
        let bytes = RosterList([Self.member(1), Self.member(2, .admin)]).wireBytes
        for count in 0..<bytes.count { #expect(throws: WireError.self, "\(count) bytes") { try RosterList(wireBytes: Bytes(bytes.prefix(count))) } }
        #expect(throws: WireError.self) { try RosterList(wireBytes: bytes + [0]) }
    }

    @Test("roles and privileges that are not known are read")
    func unknown() throws {
        let list = RosterList([RosterMember(memberID: MemberID([1]), key: Self.key, role: .unknown("chief"), privileges: 513)])
        #expect(try RosterList(wireBytes: list.wireBytes) == list)
    }

    @Test("messages about rosters and relays have the members of official clients")
    func messages() throws {
        let digest = Base64URLBytes(Bytes(repeating: 1, count: 64))
        let version = try #require(RosterVersion(rawValue: 5))
        let id = MemberID([1]), start = #"{"v":"1-19","msgId":"AQ==","event":"#
        let expected: [(String, ChatMessageEvent)] = [
            (
                #""x.grp.roster","params":{"version":5,"fileInv":{"fileSize":2,"fileDigest":"\#(digest.description)"}}}"#,
                .groupRoster(GroupRoster(version: version, list: InlineFileInvitation(size: 2, digest: digest)))
            ), (#""x.grp.roster.ack","params":{"version":0}}"#, .acknowledgeRoster(.first, error: nil)),
            (#""x.grp.roster.ack","params":{"version":5,"error":"no"}}"#, .acknowledgeRoster(version, error: "no")),
            (#""x.grp.roster.request","params":{}}"#, .requestRoster(nil)), (#""x.grp.roster.request","params":{"version":5}}"#, .requestRoster(version)),
            (
                #""x.grp.mem.role","params":{"memberId":"AQ==","role":"moderator","memberKey":"\#(Self.key.wireString)","rosterVersion":5}}"#,
                .memberRole(memberID: id, .moderator, key: Self.key, rosterVersion: version)
            ),
            (
                #""x.grp.mem.del","params":{"memberId":"AQ==","messages":true,"rosterVersion":5}}"#,
                .removeMember(memberID: id, withMessages: true, rosterVersion: version)
            ), (#""x.grp.relay.new","params":{"relayLink":"x"}}"#, .newGroupRelay(link: "x")),
            (#""x.grp.relay.reject","params":{"reason":"rejoin_rejected"}}"#, .rejectGroupRelay(.rejoinRejected)),
            (#""x.grp.relay.cap","params":{"relayCap":{"webDomain":"a.org"}}}"#, .groupRelayCapabilities(RelayCapabilities(webDomain: "a.org"))),
            (
                #""x.grp.relay.acpt","params":{"relayLink":"x","relayCap":{"webDomain":"a.org"}}}"#,
                .acceptGroupRelay(link: "x", capabilities: RelayCapabilities(webDomain: "a.org"))
            ),
        ]
        for (json, value) in expected {
            #expect(try event(start + json) == value)
            let body = ChatMessage(versions: VersionRange(1...19), messageID: SharedMessageID([1]), event: value).body
            #expect(String(decoding: body, as: UTF8.self) == start + json)
        }
        #expect(try event(start + #""x.grp.relay.acpt","params":{"relayLink":"x"}}"#) == .acceptGroupRelay(link: "x"))
        #expect(try event(start + #""x.grp.relay.reject","params":{"reason":"full"}}"#) == .rejectGroupRelay(.unknown("full")))
    }

    @Test("a version below 0, or after which none could come, is not read", arguments: [Int64.min, -1, .max])
    func versions(_ number: Int64) throws {
        #expect(RosterVersion(rawValue: number) == nil)
        for params in ["\"version\":\(number)", "\"version\":1.5", "\"version\":\"1\""] {
            #expect(throws: ChatProtocolError.self) { try event(#"{"v":"1-19","event":"x.grp.roster.request","params":{\#(params)}}"#) }
        }
        #expect(RosterVersion.after(nil) == .first && RosterVersion.first.next > .first)
        let last = try #require(RosterVersion(rawValue: .max - 1))
        #expect(last.next == last)
    }

    @Test("the error of an acknowledgement is read up to its bound")
    func error() throws {
        let text = String(repeating: "x", count: 10_000)
        guard case .acknowledgeRoster(_, let error?) = try event(#"{"v":"1-19","event":"x.grp.roster.ack","params":{"version":1,"error":"\#(text)"}}"#)
        else { return #expect(Bool(false), "no acknowledgement") }
        #expect(error.unicodeScalars.count == ChatLimits.rosterErrorText)
    }

    @Test("a list is valid for its invitation only whole and unchanged")
    func digest() {
        let bytes = RosterList([Self.member(1)]).wireBytes, invitation = InlineFileInvitation(of: bytes)
        #expect(invitation.isValid(for: bytes))
        #expect(!invitation.isValid(for: Bytes(bytes.dropLast())) && !invitation.isValid(for: bytes + [0]))
        var changed = bytes
        changed[3] ^= 1
        #expect(!invitation.isValid(for: changed))
    }

    @Test("rosters and announcements of relays count with a signature only, and are passed on; acknowledgements and requests are not")
    func tags() {
        for tag in [ChatEventTag.groupRoster, .newGroupRelay] { #expect(tag.requiresSignature && tag.isForwardedInGroups) }
        for tag in [ChatEventTag.acknowledgeRoster, .requestRoster, .rejectGroupRelay, .groupRelayCapabilities] {
            #expect(!tag.requiresSignature && !tag.isForwardedInGroups)
        }
    }
}
