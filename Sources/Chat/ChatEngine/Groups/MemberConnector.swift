import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

/// Connections with members, made in the background: a connection of the agent, and the transactions before and after it.
///
/// Each can be interrupted anywhere and begun again.
struct MemberConnector: Sendable {
    let transactions: TransactionRunner
    let agent: any AgentService
    let locks: KeyedLock<String>
    let leftovers: AgentLeftovers

    /// A member with the profile in whose group it is.
    struct Target: Sendable {
        var user: User
        var agentUser: AgentUserID
        var group: GroupInfo
        var member: GroupMember

        /// The agent's id of the connection, if there is one.
        var connection: ConnectionID? {
            member.activeConnection.flatMap { Base64URL.decode($0.agentConnectionID) }.map { ConnectionID($0) }
        }
    }

    /// - Returns: nil if the member, or this profile, has left since: they are not connected any more.
    func target(_ id: GroupMemberID) async throws(ChatCoreError) -> Target? {
        try await transactions.query { transaction in
            guard let member = try transaction.db.members.find(id), !member.status.hasEnded, let userID = try transaction.db.members.userID(ofMember: id),
                let user = try transaction.db.users.find(userID), let group = try transaction.db.groups.find(member.groupID, user: userID),
                !group.membership.status.hasEnded, let agentUser = Int64(user.agentUserID)
            else { return nil }
            return Target(user: user, agentUser: agentUser, group: group, member: member)
        }
    }

    /// Makes the connection to which a member is invited that the host has introduced.
    func createConnection(for id: GroupMemberID) async throws {
        guard let target = try await target(id), target.member.activeConnection == nil else { return }
        let created = try await agent.reporting { agent throws(AgentError) in
            try await agent.createConnection(
                user: target.agentUser, mode: .invitation, linkData: nil, clientData: nil, pq: .off, subscription: .subscribe)
        }
        try await leftovers.orDiscard(created.id) { () throws(ChatCoreError) in
            try await transactions.transaction { transaction in
                try transaction.members.inviteIntroduced(id, connection: created.id.bytes, link: created.link.wireString, of: target.user)
            }
        }
    }

    /// Joins the connection to which a member has invited.
    func join(_ id: GroupMemberID, by text: String) async throws {
        guard let target = try await target(id), let link = try? ConnectionRequestURI(wireString: text) else { return }
        let connection: ConnectionID
        if let known = target.connection {
            guard target.member.activeConnection?.status == .prepared else { return }
            connection = known
        } else {
            connection = try await agent.reporting { agent throws(AgentError) in
                try await agent.prepareToJoin(user: target.agentUser, link: link, pqSupport: false)
            }
            let isWanted = try await leftovers.orDiscard(connection) { () throws(ChatCoreError) in
                try await transactions.transaction { transaction in
                    guard let member = try transaction.db.members.find(id), !member.status.hasEnded else {
                        try transaction.enqueue(.connection(.delete(connections: [connection.bytes], after: [])), user: target.user)
                        return false
                    }
                    let host = try member.invitedByGroupMemberID.flatMap { try transaction.db.members.find($0) }
                    try transaction.members.insertConnection(connection.bytes, with: member, status: .prepared, introducedBy: host, user: target.user)
                    return true
                }
            }
            guard isWanted else { return }
        }
        let info = try await transactions.query { transaction in
            try transaction.outbox.connectionInfo(
                .memberInfo(memberID: target.group.membership.memberID, transaction.conversations.memberProfile(in: target.group, of: target.user)),
                pqSupport: false, peerVersion: ChatVersions.connectionVersion(local: ChatVersions.supported, peer: target.member.versionRange))
        }
        let isSecured = try await agent.reporting { agent throws(AgentError) in
            try await agent.join(
                user: target.agentUser, connection: connection, link: link, info: info, pqSupport: false, subscription: .subscribe)
        }
        try await transactions.transaction { transaction in
            guard let record = try transaction.db.connections.find(agentID: connection.bytes) else { return }
            try transaction.db.connections.update(record.id, from: .prepared, to: isSecured ? .sendReady : .joined, at: transaction.now)
        }
    }

    /// Answers the request of a member to join by a link. A refusal is sent over a connection, too.
    func accept(_ id: GroupMemberID, _ invitation: InvitationID, _ answer: JoinAnswer) async throws {
        guard let target = try await target(id) else { return }
        let connection: ConnectionID
        if let known = target.connection {
            guard target.member.activeConnection?.status == .new else { return }
            connection = known
        } else {
            connection = try await agent.reporting { agent throws(AgentError) in
                try await agent.prepareToAccept(user: target.agentUser, invitation: invitation, pqSupport: false)
            }
            try await leftovers.orDiscard(connection) { () throws(ChatCoreError) in
                try await transactions.transaction { transaction in
                    let group = try transaction.conversations.group(target.group.groupID, of: target.user)
                    try transaction.joinRequests.beginAcceptance(of: target.member, by: connection.bytes, answer, in: group, user: target.user)
                }
            }
        }
        let info = try await transactions.query { transaction in
            let group = try transaction.conversations.group(target.group.groupID, of: target.user)
            return try transaction.outbox.connectionInfo(
                try transaction.joinRequests.message(answer, to: target.member, in: group, of: target.user), pqSupport: false,
                peerVersion: ChatVersions.connectionVersion(local: ChatVersions.supported, peer: target.member.versionRange),
                inChannel: group.usesRelays)
        }
        let isSecured = try await agent.reporting { agent throws(AgentError) in
            try await agent.accept(
                user: target.agentUser, connection: connection, invitation: invitation, info: info, pqSupport: false, subscription: .subscribe)
        }
        try await transactions.transaction { transaction in
            guard let record = try transaction.db.connections.find(agentID: connection.bytes) else { return }
            try transaction.db.connections.update(record.id, from: .new, to: isSecured ? .sendReady : .accepted, at: transaction.now)
            guard isSecured, let group = try transaction.db.groups.find(target.group.groupID, user: target.user.userID),
                let member = try transaction.db.members.find(id)
            else { return }
            try transaction.businessChats.sendWelcome(to: member, in: group, of: target.user, isSecured: true)
        }
    }

    /// Joins the connection to which a member has invited as a contact.
    func joinContact(_ id: ContactID) async throws {
        let found = try await transactions.query { transaction -> (user: User, agentUser: AgentUserID, link: String)? in
            guard let userID = try transaction.db.contacts.userID(ofContact: id), let user = try transaction.db.users.find(userID),
                let agentUser = Int64(user.agentUserID), let invitation = try transaction.db.contacts.find(id, of: user)?.groupDirectInvitation
            else { return nil }
            return (user, agentUser, invitation.link)
        }
        guard let found else { return }
        try await joinContact(id, by: found.link, user: found.user, agentUser: found.agentUser)
    }

    /// Joins the connection of a member contact.
    ///
    /// - Throws: An error of the agent; `exception` if it was joined before.
    func joinContact(_ id: ContactID, by text: String, user: User, agentUser: AgentUserID) async throws(ChatCoreError) {
        guard let link = try? ConnectionRequestURI(wireString: text) else { throw ChatCoreError(Refusal.chat(.invalidConnectionRequest).error) }
        // Two connections would join one queue, and the newer one, which cannot, would be the contact's.
        try await locks.withLock("member contact \(id)") { () throws(ChatCoreError) in
            try await joinContactNow(id, by: link, user: user, agentUser: agentUser)
        }
    }

    private func joinContactNow(_ id: ContactID, by link: ConnectionRequestURI, user: User, agentUser: AgentUserID) async throws(ChatCoreError) {
        let contact = try await transactions.query { try $0.conversations.contact(id, of: user) }
        let connection: ConnectionID
        if let known = contact.activeConnection, let id = Base64URL.decode(known.agentConnectionID) {
            guard known.status == .prepared else {
                throw ChatCoreError(Refusal.chat(.exception(message: "connection already started (past prepared status)")).error)
            }
            connection = ConnectionID(id)
        } else {
            connection = try await agent.reporting { agent throws(AgentError) in
                try await agent.prepareToJoin(user: agentUser, link: link, pqSupport: false)
            }
            try await leftovers.orDiscard(connection) { () throws(ChatCoreError) in
                try await transactions.transaction { try $0.memberContacts.insertConnection(connection.bytes, with: contact, of: user) }
            }
        }
        let info = try await transactions.query { transaction in
            let current = try transaction.conversations.contact(id, of: user)
            let shared = transaction.users.sharedProfile(
                of: user, with: nil, incognito: try transaction.users.incognitoProfile(current.activeConnection), usesProfileTTL: true)
            return try transaction.outbox.connectionInfo(.info(shared), pqSupport: false, peerVersion: ChatVersions.initial.max)
        }
        let isSecured = try await agent.reporting { agent throws(AgentError) in
            try await agent.join(user: agentUser, connection: connection, link: link, info: info, pqSupport: false, subscription: .subscribe)
        }
        try await transactions.transaction { transaction in
            guard let record = try transaction.db.connections.find(agentID: connection.bytes) else { return }
            try transaction.db.connections.update(record.id, from: .prepared, to: isSecured ? .sendReady : .joined, at: transaction.now)
            try transaction.db.contacts.update(id, directInvitationStarted: true)
        }
    }

    // MARK: Links

    /// Publishes the profile of a group behind its link.
    ///
    /// - Returns: The link; nil if there is none any more.
    @discardableResult
    func publishLink(of group: GroupInfo, user: User) async throws(ChatCoreError) -> GroupLink? {
        try await locks.withLock("group link \(group.groupID)") { () throws(ChatCoreError) in
            let found = try await transactions.query { transaction -> (GroupInfo, GroupLink, ConnectionRecord)? in
                guard let group = try transaction.db.groups.find(group.groupID, user: user.userID),
                    let link = try transaction.db.groupLinks.find(group: group.groupID),
                    let connection = try transaction.db.connections.find(ofGroupLink: link.userContactLinkID)
                else { return nil }
                return (group, link, connection)
            }
            guard let (group, link, connection) = found else { return nil }
            if group.usesRelays { return try await publishChannelLink(of: group, link, connection, user: user) }
            let data = try GroupLinkContents(group, id: link.groupLinkID)
            let short = try await agent.reporting { agent throws(AgentError) in
                try await agent.setShortLink(ConnectionID(connection.agentConnectionID), linkData: data.linkData, clientData: data.clientData)
            }
            return try await transactions.transaction { transaction in
                try transaction.db.groupLinks.update(group: group.groupID, shortLink: short.groupLink.wireString)
                return try transaction.db.groupLinks.find(group: group.groupID)
            }
        }
    }

    func publishLink(of id: GroupID, agentUser: AgentUserID) async throws {
        let found = try await transactions.query { transaction -> (User, GroupInfo)? in
            guard let user = try transaction.db.users.find(agentID: agentUser), let group = try transaction.db.groups.find(id, user: user.userID) else {
                return nil
            }
            return (user, group)
        }
        guard let (user, group) = found else { return }
        try await publishLink(of: group, user: user)
    }
}

extension MemberConnector {
    /// Publishes the data of a channel's link, unless the link has them already.
    private func publishChannelLink(
        of group: GroupInfo, _ link: GroupLink, _ connection: ConnectionRecord, user: User
    ) async throws(ChatCoreError) -> GroupLink? {
        // Relays have links of their own, which show nothing that changes.
        guard group.membership.role == .owner else { return link }
        let (revisions, relays) = try await transactions.query { transaction in
            (try transaction.db.groups.linkRevisions(of: group.groupID), try transaction.groups.publishedRelays(of: group))
        }
        guard revisions.published < revisions.current else { return link }
        let shown = relays.compactMap(\.relayLink).compactMap { try? ConnectionShortLink(wireString: $0) }
        let data = try GroupLinkContents(channel: group, relays: shown, id: link.groupLinkID)
        _ = try await agent.reporting { agent throws(AgentError) in
            try await agent.setShortLink(ConnectionID(connection.agentConnectionID), linkData: data.linkData, clientData: data.clientData)
        }
        return try await transactions.transaction { transaction in
            try transaction.groups.notePublished(relays, of: group, revision: revisions.current, user: user)
            return try transaction.db.groupLinks.find(group: group.groupID)
        }
    }
}

/// The data that a group link publishes.
struct GroupLinkContents: Sendable {
    var linkData: UserConnectionLinkData
    var clientData: String

    /// - Throws: An error of the agent if the profile does not fit.
    init(_ group: GroupInfo, id: GroupLinkID) throws(ChatCoreError) {
        try self.init(group.groupProfile, id: id)
    }

    init(_ profile: GroupProfile, id: GroupLinkID) throws(ChatCoreError) {
        guard let data = try? ShortLinkUserData.encode(GroupShortLinkData(groupProfile: profile)) else {
            throw ChatCoreError(AgentError(.command(.large, context: "link data")))
        }
        linkData = .contact(UserContactData(userData: UserLinkData(data)))
        clientData = GroupLinkClientData(groupLinkID: id).jsonText
    }
}

extension ConnectionShortLink {
    /// The link with the type by which apps know that it leads to a group.
    var groupLink: ConnectionShortLink {
        guard case .contact(_, _, let server, let key) = self else { return self }
        return .contact(scheme: .server, type: .group, server: server, key: key)
    }
}

extension JoinRequests {
    /// The message that answers a request to join by a link, or to a business address.
    func message(_ answer: JoinAnswer, to member: GroupMember, in group: GroupInfo, of user: User) throws -> ChatMessageEvent {
        if group.isServedHere, member.category == .host { return try relayAnswer(in: group) }
        if group.businessChat != nil { return try transaction.businessChats.invitation(of: member, to: group, of: user) }
        return switch answer {
        case .admit(let acceptance):
            .groupLinkInvitation(
                GroupLinkInvitation(of: member, to: group, acceptance, hostName: transaction.conversations.memberProfile(in: group, of: user).displayName))
        case .refuse(let reason): .groupLinkRejection(GroupLinkRejection(of: member, from: group, reason))
        }
    }
}
