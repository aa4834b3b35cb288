import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

// Rosters that come: from the owner to a relay, and by relays to subscribers.

extension Rosters {
    /// An owner has signed a roster. Nothing changes before its list is there.
    func receive(_ roster: GroupRoster, _ received: GroupMessage, from author: GroupMember, in group: GroupInfo, of user: User) throws {
        guard group.usesRelays, let signed = received.signed, received.signature == .verified else {
            return reportError("x.grp.roster: not for this kind of group", of: user)
        }
        let source = received.forwardedBy ?? author
        let pending = try db.rosters.transfer(from: source.groupMemberID)?.version
        let decision = RosterOfferDecision(
            roster, id: received.message.messageID, by: author.role, to: group.membership, try db.rosters.state(of: group.groupID), pending: pending)
        switch decision {
        case .ignore: return
        case .refuse(let reason): return reportError(reason, severity: "warning", of: user)
        case .accept: break
        }
        guard let id = received.message.messageID else { return }
        try db.rosters.insert(
            RosterTransfer(
                source: source.groupMemberID, author: author.groupMemberID, messageID: id, version: roster.version, list: roster.list,
                element: signed.element, sentAt: received.sentAt))
    }

    /// Takes a chunk of a roster's list.
    ///
    /// - Returns: False if it belongs to another file.
    func receive(
        _ chunk: FileChunk, ofRosterIn id: SharedMessageID, from source: GroupMember, in group: inout GroupInfo, of user: User
    ) throws -> Bool {
        guard group.usesRelays else { return false }
        guard let transfer = try db.rosters.transfer(from: source.groupMemberID), transfer.messageID == id else {
            // Relays have no files of their own: the chunk is of a roster that was not wanted.
            return source.isRelay || group.isServedHere
        }
        guard case .piece(let number, let content) = chunk else {
            try db.rosters.deleteTransfer(from: source.groupMemberID)
            return true
        }
        switch RosterChunkDecision(number, bytes: content.count, size: transfer.list.size, received: Int64(transfer.content.count)) {
        case .ignore: break
        case .drop: try fail(transfer, "could not receive the roster", in: group, of: user)
        case .append(let fromStart, let isLast):
            let list = (fromStart ? [] : transfer.content) + content
            if isLast {
                try complete(transfer, with: list, in: &group, of: user)
            } else {
                try db.rosters.update(transferFrom: source.groupMemberID, content: list)
            }
        }
        return true
    }

    private func complete(_ transfer: RosterTransfer, with content: Bytes, in group: inout GroupInfo, of user: User) throws {
        guard transfer.list.isValid(for: content) else { return try fail(transfer, "could not verify the roster", in: group, of: user) }
        guard let list = try? RosterList(wireBytes: content) else { return try fail(transfer, "could not parse the roster", in: group, of: user) }
        try db.rosters.deleteTransfer(from: transfer.source)
        let state = try db.rosters.state(of: group.groupID)
        // Another relay, or a signed change, may have brought a newer one meanwhile.
        guard state.version.map({ transfer.version >= $0 }) ?? true, let author = try db.members.find(transfer.author), author.role == .owner,
            !author.status.hasEnded
        else { return }
        try apply(list, transfer, by: author, in: &group, of: user)
        try db.rosters.update(state.applying(transfer.version), of: group.groupID)
        guard group.isServedHere else { return }
        try db.rosters.store(
            StoredRoster(
                version: transfer.version, author: author.memberID, authorName: author.shortName, messageID: transfer.messageID, element: transfer.element,
                list: content, sentAt: transfer.sentAt), of: group.groupID)
        try acknowledge(transfer.version, to: author, in: group)
    }

    /// A roster could not be received. The last good one stays.
    private func fail(_ transfer: RosterTransfer, _ reason: String, in group: GroupInfo, of user: User) throws {
        try db.rosters.deleteTransfer(from: transfer.source)
        reportError("x.grp.roster: \(reason)", of: user)
        guard group.isServedHere, let author = try db.members.find(transfer.author) else { return }
        try transaction.outbox.sendDirectly([.acknowledgeRoster(transfer.version, error: "relay \(reason)")], to: author, in: group)
    }

    // MARK: Members

    private func apply(_ list: RosterList, _ transfer: RosterTransfer, by author: GroupMember, in group: inout GroupInfo, of user: User) throws {
        var known: [MemberID: GroupMember] = [:]
        for entry in list.members { known[entry.memberID] = try db.members.find(entry.memberID, group: group.groupID) }
        let result = RosterApplication(
            list, known: known, listed: try listedMembers(of: group), in: group, defaultRole: group.unknownMemberRole)
        for id in result.conflicts {
            reportError("x.grp.roster: member key conflict, keeping trusted key, memberId=\(id.description)", severity: "warning", of: user)
        }
        for change in result.changes {
            switch change {
            case .add(let entry):
                let info = MemberInfo(
                    memberID: entry.memberID, role: entry.role, versions: ChatVersions.supported,
                    profile: Profile(displayName: entry.memberID.shortName, fullName: ""), key: entry.key)
                _ = try transaction.members.add(info, category: .pre, status: .unknown, invitedBy: nil, in: group, of: user)
            case .set(let member, let role, let key):
                if let key { try db.members.update(member.groupMemberID, publicKey: key) }
                if member.role != role { try setRole(role, of: member, transfer, by: author, in: &group, of: user) }
            }
        }
    }

    private func setRole(
        _ role: GroupMemberRole, of member: GroupMember, _ transfer: RosterTransfer, by author: GroupMember, in group: inout GroupInfo, of user: User
    ) throws {
        try db.members.update(member.groupMemberID, role: role, at: now)
        if member.category == .user {
            try transaction.groups.showMembership(in: &group, of: user)
            try transaction.groupItems.addEvent(
                .userRole(role: role), from: author, at: transfer.sentAt, signature: .verified, in: &group, of: user)
        }
        var changed = member
        changed.role = role
        emit(
            .memberRole(
                user: user, groupInfo: group, byMember: author, member: changed, fromRole: member.role, toRole: role, signature: .verified))
    }

    // MARK: Versions of signed changes

    /// Tells whether a signed change of a member counts, by the version of the roster that it names, and notes that version. If changes before it are missing,
    /// the whole roster is asked for.
    ///
    /// - Parameter role: The new role, and the member whose it is; nil for a removal.
    func admits(
        _ version: RosterVersion?, change: (id: MemberID, role: GroupMemberRole)? = nil, from sender: GroupMember, _ received: GroupMessage,
        in group: GroupInfo, of user: User
    ) throws -> Bool {
        guard group.usesRelays else { return true }
        let state = try db.rosters.state(of: group.groupID)
        let concernsRoster = try change.map { change in
            let known = change.id == group.membership.memberID ? group.membership : try db.members.find(change.id, group: group.groupID)
            return RosterRules.concerns(known?.role ?? .observer, change.role)
        }
        switch RosterGate(version, concernsRoster: concernsRoster ?? false, by: sender.role, after: state) {
        case .pass: return true
        case .refuse:
            reportError("\(received.message.tag.rawValue): roster version not newer than current, ignoring", severity: "warning", of: user)
            return false
        case .advance(let new, let hasGap):
            if new != state { try db.rosters.update(new, of: group.groupID) }
            // What a relay can give its subscribers decides, not what it has heard.
            let isBehind = try group.isServedHere && db.rosters.storedVersion(of: group.groupID).map { stored in version.map { stored < $0 } ?? false } ?? false
            if hasGap || isBehind { try request(after: state.complete, from: received.forwardedBy ?? sender, in: group) }
            return true
        }
    }

    /// Asks relays for the roster of a channel that this profile has subscribed to with an earlier version. A relay is asked once.
    func requestMissing(of id: GroupID, user: UserID) throws {
        guard let group = try db.groups.find(id, user: user), group.isSubscribed else { return }
        for relay in try db.members.relayMembers(of: id) { try requestMissing(from: relay, in: group) }
    }

    /// Asks a relay for the roster of a channel of which this profile knows none, unless that relay was asked before.
    func requestMissing(from relay: GroupMember, in group: GroupInfo) throws {
        guard group.isSubscribed, relay.status == .connected, try db.rosters.state(of: group.groupID).version == nil,
            try db.rosters.servedVersion(to: relay.groupMemberID) == nil, relay.supports(ChatVersions.groupRoster)
        else { return }
        try db.rosters.update(servedVersion: .first, to: relay.groupMemberID)
        try request(after: nil, from: relay, in: group)
    }

    private func request(after complete: RosterVersion?, from member: GroupMember, in group: GroupInfo) throws {
        guard member.supports(ChatVersions.groupRoster), group.isServedHere != member.isRelay else { return }
        try transaction.outbox.sendDirectly([.requestRoster(complete)], to: member, in: group)
    }
}
