import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
import SMPWire

// Probes, by which two clients find out that a contact and a member are the same client: who gets a probe from one and its hash from the other
// confirms it to the first.

/// A contact or a member.
enum ContactOrMember: Sendable {
    case contact(Contact)
    case member(GroupInfo, GroupMember)

    var contactID: ContactID? { if case .contact(let contact) = self { contact.contactID } else { nil } }
    var memberID: GroupMemberID? { if case .member(_, let member) = self { member.groupMemberID } else { nil } }

    /// True for a party that is never taken for another one.
    ///
    /// One that knows a random profile must not find out who that is. A contact with an alias is known to the owner of the profile by its connection: a
    /// probe can be passed on, and does not prove that a member of the same profile is that contact.
    var staysApart: Bool {
        switch self {
        case .contact(let contact): contact.activeConnection?.customUserProfileID != nil || contact.isNamedByOwner
        case .member(let group, _): group.isIncognito
        }
    }
}

extension Contact {
    /// True if the owner of the profile has given the contact an alias, or the link by which it came.
    var isNamedByOwner: Bool { !profile.localAlias.isEmpty || activeConnection?.localAlias.isEmpty == false }
}

extension ChatTransaction {
    /// Sends a probe to a contact, and its hash to members with the same profile.
    func probe(_ contact: Contact, of user: User) throws {
        let peer = ContactOrMember.contact(contact)
        guard let id = try sendProbe(to: peer, of: user) else { return }
        for member in try db.membersLike(contact, user: user.userID) {
            guard let group = try db.group(member.groupID, user: user.userID), member.status.isCurrent, !group.isIncognito else { continue }
            try sendHash(of: id, to: .member(group, member), of: user)
        }
    }

    /// Sends a probe to a member, and its hash to contacts with the same profile.
    func probe(_ member: GroupMember, in group: GroupInfo, of user: User) throws {
        guard member.activeConnection != nil, let id = try sendProbe(to: .member(group, member), of: user) else { return }
        for contact in try db.contactsLike(member, of: user) where !ContactOrMember.contact(contact).staysApart {
            try sendHash(of: id, to: .contact(contact), of: user)
        }
    }

    /// Sends a probe.
    ///
    /// - Returns: The probe and its number; nil if nobody is to be found out, when a random probe is sent that nothing matches.
    private func sendProbe(to peer: ContactOrMember, of user: User) throws -> (id: Int64, probe: Probe)? {
        let probe = Probe(random.bytes(32))
        guard try db.mergesContacts(), !peer.staysApart else {
            try send(.probe(probe), to: peer, of: user)
            return nil
        }
        let id = try db.insertSentProbe(probe, to: peer, user: user.userID, at: now)
        try send(.probe(probe), to: peer, of: user)
        return (id, probe)
    }

    private func sendHash(of sent: (id: Int64, probe: Probe), to peer: ContactOrMember, of user: User) throws {
        // A contact that cannot be written to is no reason to refuse what the probe came with.
        let outcome = try attempt {
            try send(.checkProbe(ProbeHash(Hash.sha256(sent.probe.bytes))), to: peer, of: user)
            try db.insertSentProbeHash(sent.id, to: peer)
        }
        _ = outcome
    }

    private func send(_ event: ChatMessageEvent, to peer: ContactOrMember, of user: User) throws {
        switch peer {
        case .contact(let contact): try send(event, to: contact)
        case .member(let group, let member): try sendDirectly([event], to: member, in: group)
        }
    }

    // MARK: Receiving

    func receive(_ probe: Probe, from peer: ContactOrMember, of user: User) throws {
        guard try db.mergesContacts(), !peer.staysApart else { return }
        let hash = ProbeHash(Hash.sha256(probe.bytes))
        let candidates = try db.receivedProbes(hash: hash, withProbe: false, user: user.userID)
        try db.insertReceivedProbe(probe, hash: hash, from: peer, user: user.userID, at: now)
        for candidate in candidates {
            guard let other = try contactOrMember(candidate, of: user), !other.staysApart else { continue }
            try match(other, with: peer, probe, of: user)
        }
    }

    func receive(_ hash: ProbeHash, from peer: ContactOrMember, of user: User) throws {
        guard try db.mergesContacts(), !peer.staysApart else { return }
        let candidates = try db.receivedProbes(hash: hash, withProbe: true, user: user.userID)
        try db.insertReceivedProbe(nil, hash: hash, from: peer, user: user.userID, at: now)
        guard let candidate = candidates.first, let probe = candidate.probe, let other = try contactOrMember(candidate, of: user), !other.staysApart
        else { return }
        try match(peer, with: other, probe, of: user)
    }

    func receiveConfirmation(of probe: Probe, from peer: ContactOrMember, of user: User) throws {
        guard let sent = try db.sentProbe(probe, hashSentTo: peer, user: user.userID), let other = try contactOrMember(sent, of: user) else { return }
        switch (peer, other) {
        case (.contact(let contact), .member(let group, let member)), (.member(let group, let member), .contact(let contact)):
            // The contact may have got its alias since the probe was sent.
            guard member.contactID == nil, !peer.staysApart, !other.staysApart else { return }
            try associate(contact, member, in: group, of: user)
        default: break
        }
    }

    private func contactOrMember(_ row: ProbeRow, of user: User) throws -> ContactOrMember? {
        if let id = row.contactID { return try db.contact(id, of: user).map(ContactOrMember.contact) }
        guard let id = row.memberID, let member = try db.member(id), let group = try db.group(member.groupID, user: user.userID) else { return nil }
        return .member(group, member)
    }

    /// Confirms to the one who sent the hash that it is the one who sent the probe.
    private func match(_ one: ContactOrMember, with two: ContactOrMember, _ probe: Probe, of user: User) throws {
        switch (one, two) {
        case (.contact(let contact), .member(let group, let member)), (.member(let group, let member), .contact(let contact)):
            guard member.contactID == nil, contact.profile.published.isSamePerson(as: member.profile.published) else { return }
            if case .member = one, !member.status.isCurrent { return }
            try send(.confirmProbe(probe), to: one, of: user)
            try associate(contact, member, in: group, of: user)
        default: break
        }
    }

    /// Records that a contact and a member are the same. The one whose name is older keeps it.
    private func associate(_ contact: Contact, _ member: GroupMember, in group: GroupInfo, of user: User) throws {
        guard let first = Self.suffix(of: contact.localDisplayName, base: contact.profile.displayName),
            let second = Self.suffix(of: member.localDisplayName, base: contact.profile.displayName), first != second
        else { return }
        if first < second {
            try db.associate(member, with: contact, user: user.userID)
        } else {
            try db.associate(contact, with: member, user: user.userID)
        }
        emit(
            .contactAndMemberAssociated(
                user: user, contact: contact, groupInfo: group, member: member, updatedContact: try self.contact(contact.contactID, of: user)))
    }

    /// The number behind a local name; nil for a name that is not made of this one.
    private static func suffix(of name: String, base: String) -> Int? {
        if name == base { return 0 }
        guard name.hasPrefix(base + "_") else { return nil }
        return Int(name.dropFirst(base.count + 1))
    }
}

extension Profile {
    /// Tells whether two profiles show the same person: names and picture.
    func isSamePerson(as other: Profile) -> Bool {
        displayName == other.displayName && fullName == other.fullName && image == other.image
    }
}

/// Whose probe it is.
struct ProbeRow: Sendable {
    var contactID: ContactID?
    var memberID: GroupMemberID?
    var probe: Probe?
}

extension Database {
    /// Contacts or members to whom the hash of one probe is sent at most: those of the same name are not worth more.
    private static var candidateLimit: Int { 100 }

    /// True unless the profile's owner has turned the merging of contacts off.
    func mergesContacts() throws -> Bool {
        try first("SELECT value_json FROM settings WHERE name = 'mergesContacts'") { $0.text() } != "false"
    }

    func setMergesContacts(_ merges: Bool) throws {
        try run("INSERT OR REPLACE INTO settings (name, value_json) VALUES ('mergesContacts', ?)", [merges ? "true" : "false"])
    }

    fileprivate func membersLike(_ contact: Contact, user: UserID) throws -> [GroupMember] {
        let ids = try all(
            """
            SELECT m.group_member_id FROM group_members m JOIN profiles p ON p.profile_id = m.profile_id
            WHERE m.user_id = ? AND m.contact_id IS NULL AND m.category <> 'user' AND p.display_name = ? LIMIT ?
            """, [user, contact.profile.displayName, Self.candidateLimit]
        ) { GroupMemberID($0.int()) }
        return try ids.compactMap { try member($0) }.filter { $0.profile.published.isSamePerson(as: contact.profile.published) }
    }

    fileprivate func contactsLike(_ member: GroupMember, of user: User) throws -> [Contact] {
        let ids = try all(
            """
            SELECT c.contact_id FROM contacts c JOIN profiles p ON p.profile_id = c.profile_id
            WHERE c.user_id = ? AND c.is_user = 0 AND c.contact_status = 'active' AND p.display_name = ? LIMIT ?
            """, [user.userID, member.profile.displayName, Self.candidateLimit]
        ) { ContactID($0.int()) }
        return try ids.compactMap { try contact($0, of: user) }.filter { $0.profile.published.isSamePerson(as: member.profile.published) }
    }

    fileprivate func insertSentProbe(_ probe: Probe, to peer: ContactOrMember, user: UserID, at time: UTCTimestamp) throws -> Int64 {
        try insert(
            "INSERT INTO sent_probes (user_id, probe, contact_id, group_member_id, created_at) VALUES (?, ?, ?, ?, ?)",
            [user, probe.bytes.blob, peer.contactID, peer.memberID, time.stored])
    }

    fileprivate func insertSentProbeHash(_ probe: Int64, to peer: ContactOrMember) throws {
        try run(
            "INSERT INTO sent_probe_hashes (probe_id, contact_id, group_member_id) VALUES (?, ?, ?)", [probe, peer.contactID, peer.memberID])
    }

    /// Probes, and hashes, of one contact or member that are kept; the oldest make room for new ones. A client sends one for each group that it joins.
    static var probeLimit: Int { 50 }

    fileprivate func insertReceivedProbe(_ probe: Probe?, hash: ProbeHash, from peer: ContactOrMember, user: UserID, at time: UTCTimestamp) throws {
        try run(
            """
            DELETE FROM received_probes WHERE received_probe_id IN (
                SELECT received_probe_id FROM received_probes
                WHERE \(peer.contactID == nil ? "group_member_id" : "contact_id") = ? AND (probe IS NOT NULL) = ?
                ORDER BY received_probe_id DESC LIMIT -1 OFFSET ?)
            """, [peer.contactID?.rawValue ?? peer.memberID?.rawValue ?? 0, probe != nil, Self.probeLimit - 1])
        try run(
            "INSERT INTO received_probes (user_id, probe, probe_hash, contact_id, group_member_id, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            [user, probe?.bytes.blob, hash.bytes.blob, peer.contactID, peer.memberID, time.stored])
    }

    fileprivate func receivedProbes(hash: ProbeHash, withProbe: Bool, user: UserID) throws -> [ProbeRow] {
        try all(
            """
            SELECT contact_id, group_member_id, probe FROM received_probes WHERE user_id = ? AND probe_hash = ? AND (probe IS NOT NULL) = ?
            ORDER BY received_probe_id LIMIT ?
            """, [user, hash.bytes.blob, withProbe, Self.candidateLimit], Self.probeRow)
    }

    fileprivate func sentProbe(_ probe: Probe, hashSentTo peer: ContactOrMember, user: UserID) throws -> ProbeRow? {
        try first(
            """
            SELECT s.contact_id, s.group_member_id, s.probe FROM sent_probes s JOIN sent_probe_hashes h ON h.probe_id = s.probe_id
            WHERE s.user_id = ? AND s.probe = ? AND (h.contact_id = ? OR h.group_member_id = ?) LIMIT 1
            """, [user, probe.bytes.blob, peer.contactID, peer.memberID], Self.probeRow)
    }

    private static func probeRow(_ row: inout RowReader) -> ProbeRow {
        ProbeRow(
            contactID: row.optionalInt().map { ContactID($0) }, memberID: row.optionalInt().map { GroupMemberID($0) },
            probe: Probe(stored: row.optionalBytes()))
    }

    /// Forgets probes older than a time.
    ///
    /// - Returns: How many, at most `limit` of each kind.
    func deleteProbes(before time: UTCTimestamp, limit: Int) throws -> Int {
        try run("DELETE FROM sent_probes WHERE probe_id IN (SELECT probe_id FROM sent_probes WHERE created_at < ? LIMIT ?)", [time.stored, limit])
        let sent = changesCount
        try run(
            "DELETE FROM received_probes WHERE received_probe_id IN (SELECT received_probe_id FROM received_probes WHERE created_at < ? LIMIT ?)",
            [time.stored, limit])
        return max(sent, changesCount)
    }
}
