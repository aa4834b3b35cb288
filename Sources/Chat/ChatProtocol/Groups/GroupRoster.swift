public import SMPCrypto
public import SMPWire

/// The version of a channel's roster: a counter of its changes, from 0 on.
public struct RosterVersion: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int64

    /// - Returns: nil for a negative number, and for the largest one, after which no other could come.
    public init?(rawValue: Int64) {
        guard (0..<Int64.max).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(unchecked rawValue: Int64) { self.rawValue = rawValue }

    /// The version of a roster that has not changed yet.
    public static let first = RosterVersion(unchecked: 0)

    /// The version after this one; this one if there is none.
    public var next: RosterVersion { RosterVersion(rawValue: rawValue + 1) ?? self }

    /// The version after another one; ``first`` after none.
    public static func after(_ version: RosterVersion?) -> RosterVersion { version.map(\.next) ?? first }

    /// A textual form, for messages and logs.
    public var description: String { "\(rawValue)" }

    /// Orders two values.
    public static func < (left: RosterVersion, right: RosterVersion) -> Bool { left.rawValue < right.rawValue }
}

extension RosterVersion: JSONConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        guard let version = RosterVersion(rawValue: try Int64(json: json)) else {
            throw JSONError(.invalidValue, "the version of a roster is expected")
        }
        self = version
    }

    /// The JSON form.
    public var json: JSONValue { .int(rawValue) }
}

/// The members, moderators and admins of a channel, as an owner signs them (`x.grp.roster`). Owners are not among them: the link has their keys.
///
/// The list itself is no part of the message. It follows in chunks under the identifier of the message, and is what has the digest.
@JSONMembers
public struct GroupRoster: Hashable, ExtensibleObject {
    /// The version.
    public var version: RosterVersion
    /// The size and the digest of the list.
    @JSONName("fileInv") public var list: InlineFileInvitation
}

/// A file that follows its message in chunks, and is not asked for.
@JSONMembers
public struct InlineFileInvitation: Hashable, ExtensibleObject {
    /// Bytes.
    @JSONName("fileSize") public var size: Int64
    /// SHA-512 of the content.
    @JSONName("fileDigest") public var digest: Base64URLBytes
}

extension InlineFileInvitation {
    /// Bytes of a digest.
    public static let digestSize = 64

    /// The invitation of a content.
    public init(of content: Bytes) { self.init(size: Int64(content.count), digest: Base64URLBytes(Hash.sha512(content))) }

    /// Tells whether a content is the one that is meant.
    public func isValid(for content: Bytes) -> Bool { size == Int64(content.count) && digest.bytes == Hash.sha512(content) }
}

/// A member in the list of a roster.
public struct RosterMember: Hashable, Sendable {
    /// Which member.
    public var memberID: MemberID
    /// The key with which it signs.
    public var key: Ed25519.PublicKey
    /// The role.
    public var role: GroupMemberRole
    /// Rights beside those of the role. None is defined: clients write 0, and ignore what they read.
    public var privileges: UInt16 = 0

    /// Creates the value from its parts.
    public init(memberID: MemberID, key: Ed25519.PublicKey, role: GroupMemberRole, privileges: UInt16 = 0) {
        self.memberID = memberID
        self.key = key
        self.role = role
        self.privileges = privileges
    }
}

extension RosterMember: WireCodable {
    /// The identifier, the key in its X.509 form and the word of the role, each behind its length in a byte; then the privileges in two bytes.
    public func encode(to writer: inout WireWriter) {
        writer.write(short: memberID.bytes.prefix(255))
        writer.write(key)
        writer.write(short: Bytes(role.code.utf8).prefix(255))
        writer.write(privileges)
    }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        memberID = MemberID(try parser.short())
        key = try parser.read()
        role = GroupMemberRole(code: try parser.read(String.self))
        privileges = try parser.read()
    }
}

/// The list of a roster, as it is digested and sent in chunks.
public struct RosterList: Hashable, Sendable {
    /// At most ``ChatLimits/rosterMembers`` members.
    public var members: [RosterMember]

    /// The list of some members; of the first ``ChatLimits/rosterMembers`` of them if there are more.
    public init(_ members: [RosterMember]) { self.members = Array(members.prefix(ChatLimits.rosterMembers)) }
}

extension RosterList: WireCodable {
    /// The number of members in two bytes, and the members.
    public func encode(to writer: inout WireWriter) {
        writer.write(UInt16(members.count))
        for member in members { writer.write(member) }
    }

    /// Reads the binary encoding.
    ///
    /// - Throws: `invalidValue` for more members than ``ChatLimits/rosterMembers``.
    public init(from parser: inout WireParser) throws(WireError) {
        let count = try parser.read(UInt16.self)
        guard count <= ChatLimits.rosterMembers else { throw parser.error(.invalidValue, "a roster has at most \(ChatLimits.rosterMembers) members") }
        members = []
        for _ in 0..<count { members.append(try parser.read()) }
    }
}
