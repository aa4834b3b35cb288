import ChatAPI
import ChatProtocol
import ParleyTesting
import SMPCrypto
import SMPWire

@testable import ChatEngine
@testable import ChatStore
@testable import Parley
@testable import ParleyTesting

extension TestPerson {
    /// Sends an event past the rules of the client, to the other side of a chat: to the contact, or to the host of the group.
    func attack(_ event: ChatMessageEvent, in chat: String) async throws {
        guard let info = try await self.chat(chat)?.chatInfo else { throw TestRoomError("\(name) has no chat \(chat)") }
        let id = user
        try await host.native.engine.transactions.transaction { transaction in
            guard let user = try transaction.db.users.find(id) else { return }
            switch info {
            case .direct(let contact): try transaction.outbox.send(event, to: try transaction.conversations.contact(contact.contactID, of: user))
            case .group(let group, _):
                guard let host = try transaction.db.members.host(of: group.groupID) else { throw TestRoomError("\(chat) has no host") }
                try transaction.outbox.sendDirectly([event], to: host, in: group)
            default: break
            }
        }
    }

    /// Uses the link that a bot has made for a trusted contact.
    func useLink(of trusted: String) async throws {
        guard let profile = room.profiles.first, let invitation = profile.invitations.first(where: { $0.name == trusted }) else {
            throw TestRoomError("there is no link for \(trusted)")
        }
        try await connect(with: profile, by: invitation.link)
    }

    /// The member that another one of a group is to the person's client.
    func member(_ name: String, in group: String) async throws -> GroupMember? {
        guard case .group(let info, _)? = try await chat(group)?.chatInfo,
            case .groupMembers(_, let listed) = try await core.send(.groups(.members(info.groupID)), as: user)
        else { return nil }
        return listed.members.first { $0.profile.displayName == name }
    }
}

extension Probe {
    /// A probe of one byte again and again.
    static func test(_ byte: UInt8) -> Probe { Probe(Bytes(repeating: byte, count: 32)) }

    /// The hash by which others ask for the probe.
    var hash: ProbeHash { ProbeHash(Hash.sha256(bytes)) }
}
