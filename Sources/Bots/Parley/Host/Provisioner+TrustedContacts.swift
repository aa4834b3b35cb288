internal import ChatAPI
internal import ChatModel
internal import Logging

extension Provisioner {
    /// Makes the invitations of a bot's trusted contacts, or finds those that nobody has used yet.
    ///
    /// A name belongs to the connection of its link, and to the contact who uses it, for as long as that contact is kept. Nothing that is received makes a
    /// second link for it.
    ///
    /// - Returns: The people, and the links that wait for somebody.
    func trustedContacts(of bot: Bot, user: UserID) async throws -> (people: TrustedPeople, invitations: [HostReady.Invitation]) {
        var people = TrustedPeople(names: bot.trustedContacts), invitations: [HostReady.Invitation] = []
        guard !bot.trustedContacts.isEmpty else { return (people, []) }
        guard case .apiChats(_, let chats) = try await model.send(.chats(.list(user: user, pendingConnections: true)), as: user) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the chats of \(bot.id)")
        }
        let links = TrustedLinks(chats), records = try await store.trustedContacts(of: user)
        var seen: Set<String> = []
        for name in bot.trustedContacts where seen.insert(name).inserted {
            var metadata: Logger.Metadata = ["bot": "\(bot.id)", "contact": "\(name)"]
            do {
                let found: TrustedLinks.Found
                switch links.state(of: name, records[name]) {
                case .found(let state): found = state
                case .disconnected:
                    metadata["code"] = "trust.disconnected"
                    logger.warning("a trusted contact is not connected any more: delete that contact to get a new link", metadata: metadata)
                    continue
                case .none: found = try await invite(name, as: user)
                }
                if records[name] != found.record { try await store.setTrusted(name, found.record, of: user) }
                people.add(name, connection: found.record.connection, contact: found.record.contact)
                if let link = found.link { invitations.append(HostReady.Invitation(name: name, link: link.shortLink ?? link.fullLink)) }
            } catch {
                // The bot runs without that contact, as before any trusted contact connects.
                metadata["code"] = "\(ErrorCode.of(error) ?? "trust.invitation")"
                metadata["error"] = "\(error)"
                logger.error("no invitation of a trusted contact could be made: it is tried at the next start", metadata: metadata)
            }
        }
        return (people, invitations)
    }

    private func invite(_ name: String, as user: UserID) async throws(ChatCoreError) -> TrustedLinks.Found {
        guard case .invitation(_, let link, let connection) = try await model.send(.connections(.add(user: user)), as: user) else {
            throw ChatCoreError(.invalidResponse, "the core did not show the link that it made")
        }
        // The name of the link shows the owner which contact has used it, and members are not mistaken for that contact.
        _ = try await model.send(.connections(.setAlias(connection: connection.connectionID, name)), as: user)
        return TrustedLinks.Found(record: TrustedContactRecord(connection: connection.agentConnectionID), link: link)
    }
}

/// The links of trusted contacts among the chats of a profile: those that wait, and those that were used.
struct TrustedLinks {
    struct Found {
        var record: TrustedContactRecord
        /// The link, if nobody has used it.
        var link: CreatedConnectionLink?
    }

    enum State {
        case found(Found)
        /// The contact is there, and its connection is not.
        case disconnected
        case none
    }

    private var contacts: [Contact] = []
    private var pending: [PendingContactConnection] = []

    init(_ chats: [Chat]) {
        for chat in chats {
            switch chat.chatInfo {
            case .direct(let contact): contacts.append(contact)
            case .contactConnection(let connection): pending.append(connection)
            default: break
            }
        }
        contacts.sort { ($0.activeConnection?.connectionID.rawValue ?? .max) < ($1.activeConnection?.connectionID.rawValue ?? .max) }
        pending.sort { $0.connectionID.rawValue < $1.connectionID.rawValue }
    }

    /// - Parameter record: The stored link of the name; nil in folders of earlier versions, where the names of links tell whose they are. Only the owner of a
    ///   profile can name a link, and only one that waits. The first contact that has used one of the name is the one.
    func state(of name: String, _ record: TrustedContactRecord?) -> State {
        let isLink: (_ connection: String, _ alias: String) -> Bool = { record.map { $0.connection } == $0 || record == nil && $1 == name }
        if let contact = contacts.first(where: { $0.activeConnection.map { isLink($0.agentConnectionID, $0.localAlias) } ?? false }),
            let connection = contact.activeConnection?.agentConnectionID
        {
            return .found(Found(record: TrustedContactRecord(connection: connection, contact: contact.contactID), link: nil))
        }
        if let connection = pending.first(where: { isLink($0.agentConnectionID, $0.localAlias) }) {
            return .found(Found(record: TrustedContactRecord(connection: connection.agentConnectionID), link: connection.invitationLink))
        }
        return contacts.contains { $0.contactID == record?.contact } ? .disconnected : .none
    }
}
