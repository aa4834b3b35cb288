import ChatAPI
import ChatRules
import ChatStore
import GRDB
import SMPWire

/// The party at the other end of a connection.
enum Peer: Sendable {
    /// Anyone who uses a link or an address, before there is a contact.
    case pending
    case contact(Contact)
    case member(GroupInfo, GroupMember)
    /// The parties that use an address of this profile.
    case address(UserContactLinkID)
    /// The parties that use the link of a group of this profile.
    case groupLink(UserContactLinkID)
}

/// The connection that an event is received over, with its profile and its peer.
struct ReceivingContext {
    var record: ConnectionRecord
    let user: User
    var peer: Peer
    /// The hash behind the security code of the connection, where the event needs it.
    let securityCodeHash: Bytes?

    init(record: ConnectionRecord, user: User, contact: Contact?, securityCodeHash: Bytes? = nil) {
        self.record = record
        self.user = user
        self.securityCodeHash = securityCodeHash
        peer = record.addressID.map(Peer.address) ?? record.groupLinkID.map(Peer.groupLink) ?? contact.map(Peer.contact) ?? .pending
    }

    init(record: ConnectionRecord, user: User, group: GroupInfo, member: GroupMember) {
        self.record = record
        self.user = user
        securityCodeHash = nil
        peer = .member(group, member)
    }

    var connection: Connection { record.connection }

    /// Whether the connection may turn out to be one with the host of a group: this profile asked for it by an address, and knows nobody by it yet. A
    /// contact that has written is more than the card of a business.
    func mayTurnIntoGroup(_ db: Database) throws -> Bool {
        guard try db.connections.usesAddressOfPeer(record.id) else { return false }
        guard let contact else { return true }
        return try contact.status == .active && !db.items.hasReceivedMessages(from: contact)
    }

    /// The contact, once there is one.
    var contact: Contact? {
        get { if case .contact(let contact) = peer { contact } else { nil } }
        set {
            // A change through an optional chain is written back, also where there is no contact: another kind of peer stays.
            if let newValue { peer = .contact(newValue) } else if case .contact = peer { peer = .pending }
        }
    }

    /// The connection as errors show it.
    var entity: ConnectionEntity {
        switch peer {
        case .address(let id):
            .userContact(connection: connection, userContact: UserContact(userContactLinkID: id, connectionRequest: ""))
        case .groupLink(let id):
            .userContact(connection: connection, userContact: UserContact(userContactLinkID: id, connectionRequest: ""))
        case .contact(let contact): .contact(connection: connection, contact: contact)
        case .member(let group, let member): .member(connection: connection, groupInfo: group, member: member)
        case .pending: .contact(connection: connection, contact: nil)
        }
    }
}

extension ReceivingContext {
    /// Applies the changes of the contact by a message.
    mutating func update(_ conversation: Conversation) {
        if case .contact(let contact) = conversation { peer = .contact(contact) }
    }
}
