package import ChatAPI
package import ChatProtocol
import ChatRules
package import EncryptedSQLite
import SMPCrypto
import SMPWire

/// The columns of `groups` that only groups with relays use.
package struct ChannelColumns: Sendable {
    package var usesRelays: Bool
    package var relayOwnStatus: RelayStatus?
    package var publicMemberCount: Int64?
    package var rosterVersion: RosterVersion?
    private var rootPrivateKey: Bytes?
    private var rootPublicKey: Bytes?
    private var memberPrivateKey: Bytes?

    /// Reads the columns of `channelColumns`.
    package init(_ row: inout RowReader) {
        usesRelays = row.flag()
        relayOwnStatus = row.optionalText().map { RelayStatus(rawValue: $0) }
        publicMemberCount = row.optionalInt()
        rootPrivateKey = row.optionalBytes()
        rootPublicKey = row.optionalBytes()
        memberPrivateKey = row.optionalBytes()
        rosterVersion = row.optionalInt().flatMap { RosterVersion(rawValue: $0) }
    }

    /// The keys of the group; nil if it has none.
    package func keys(of group: PublicGroupProfile) -> GroupKeys? {
        guard let own = memberPrivateKey.flatMap({ try? Ed25519.PrivateKey(raw: $0) }) else { return nil }
        let root: GroupRootKey
        if let key = rootPrivateKey.flatMap({ try? Ed25519.PrivateKey(raw: $0) }) {
            root = .private(rootPrivateKey: GroupKeys.text(key))
        } else if let key = rootPublicKey.flatMap({ try? Ed25519.PublicKey(raw: $0) }) {
            root = .public(rootPublicKey: key.wireString)
        } else {
            return nil
        }
        return GroupKeys(publicGroupID: group.publicGroupID.description, rootKey: root, memberPrivateKey: GroupKeys.text(own))
    }
}
