import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPCrypto

// Probes, by which two clients find out that a contact and a member are the same client: who gets a probe from one and its hash from the other
// confirms it to the first.

/// Finds out which contacts and members are one person.
struct Probes: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Probes, by which contacts and members find out that they are one person.
    var probes: Probes { Probes(transaction: self) }
}

extension Probes {
    /// Sends a probe to a contact, and its hash to members with the same profile.
    func probe(_ contact: Contact, of user: User) throws {
        let peer = ContactOrMember.contact(contact)
        guard let id = try sendProbe(to: peer, of: user) else { return }
        for member in try db.probes.membersLike(contact, user: user.userID) {
            guard let group = try db.groups.find(member.groupID, user: user.userID), member.status.isCurrent, !group.isIncognito else { continue }
            try sendHash(of: id, to: .member(group, member), of: user)
        }
    }

    /// Sends a probe to a member, and its hash to contacts with the same profile.
    func probe(_ member: GroupMember, in group: GroupInfo, of user: User) throws {
        guard member.activeConnection != nil, let id = try sendProbe(to: .member(group, member), of: user) else { return }
        for contact in try db.probes.contactsLike(member, of: user) where !ContactOrMember.contact(contact).staysApart {
            try sendHash(of: id, to: .contact(contact), of: user)
        }
    }

    /// Sends a probe.
    ///
    /// - Returns: The probe and its number; nil if nobody is to be found out, when a random probe is sent that nothing matches.
    private func sendProbe(to peer: ContactOrMember, of user: User) throws -> (id: Int64, probe: Probe)? {
        let probe = Probe(random.bytes(32))
        guard try db.settings.mergesContacts(), !peer.staysApart else {
            try send(.probe(probe), to: peer, of: user)
            return nil
        }
        let id = try db.probes.insertSent(probe, to: peer, user: user.userID, at: now)
        try send(.probe(probe), to: peer, of: user)
        return (id, probe)
    }

    private func sendHash(of sent: (id: Int64, probe: Probe), to peer: ContactOrMember, of user: User) throws {
        // The message with the probe is not refused because a contact cannot be reached.
        let outcome = try attempt {
            try send(.checkProbe(ProbeHash(Hash.sha256(sent.probe.bytes))), to: peer, of: user)
            try db.probes.insertSentHash(sent.id, to: peer)
        }
        _ = outcome
    }

    private func send(_ event: ChatMessageEvent, to peer: ContactOrMember, of user: User) throws {
        switch peer {
        case .contact(let contact): try transaction.outbox.send(event, to: contact)
        case .member(let group, let member): try transaction.outbox.sendDirectly([event], to: member, in: group)
        }
    }

    // MARK: Receiving

    func receive(_ probe: Probe, from peer: ContactOrMember, of user: User) throws {
        guard try db.settings.mergesContacts(), !peer.staysApart else { return }
        let hash = ProbeHash(Hash.sha256(probe.bytes))
        let candidates = try db.probes.received(hash: hash, withProbe: false, user: user.userID)
        try db.probes.insertReceived(probe, hash: hash, from: peer, user: user.userID, at: now)
        for candidate in candidates {
            guard let other = try contactOrMember(candidate, of: user), !other.staysApart else { continue }
            try match(other, with: peer, probe, of: user)
        }
    }

    func receive(_ hash: ProbeHash, from peer: ContactOrMember, of user: User) throws {
        guard try db.settings.mergesContacts(), !peer.staysApart else { return }
        let candidates = try db.probes.received(hash: hash, withProbe: true, user: user.userID)
        try db.probes.insertReceived(nil, hash: hash, from: peer, user: user.userID, at: now)
        guard let candidate = candidates.first, let probe = candidate.probe, let other = try contactOrMember(candidate, of: user), !other.staysApart
        else { return }
        try match(peer, with: other, probe, of: user)
    }

    func receiveConfirmation(of probe: Probe, from peer: ContactOrMember, of user: User) throws {
        guard let sent = try db.probes.sent(probe, hashSentTo: peer, user: user.userID), let other = try contactOrMember(sent, of: user) else { return }
        switch (peer, other) {
        case (.contact(let contact), .member(let group, let member)), (.member(let group, let member), .contact(let contact)):
            // The contact may have got its alias since the probe was sent.
            guard member.contactID == nil, !peer.staysApart, !other.staysApart else { return }
            try associate(contact, member, in: group, of: user)
        default: break
        }
    }

    private func contactOrMember(_ row: ProbeRow, of user: User) throws -> ContactOrMember? {
        if let id = row.contactID { return try db.contacts.find(id, of: user).map(ContactOrMember.contact) }
        guard let id = row.memberID, let member = try db.members.find(id), let group = try db.groups.find(member.groupID, user: user.userID) else { return nil }
        return .member(group, member)
    }

    /// Confirms to the sender of the hash that it is the sender of the probe.
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

    /// Records that a contact and a member are the same person. The older of the two names stays.
    private func associate(_ contact: Contact, _ member: GroupMember, in group: GroupInfo, of user: User) throws {
        guard let first = Self.suffix(of: contact.localDisplayName, base: contact.profile.displayName),
            let second = Self.suffix(of: member.localDisplayName, base: contact.profile.displayName), first != second
        else { return }
        if first < second {
            try db.contacts.associate(member, with: contact, user: user.userID)
        } else {
            try db.contacts.associate(contact, with: member, user: user.userID)
        }
        emit(
            .contactAndMemberAssociated(
                user: user, contact: contact, groupInfo: group, member: member,
                updatedContact: try transaction.conversations.contact(contact.contactID, of: user)))
    }

    /// The number after a local name; nil for a name that is not derived from this one.
    private static func suffix(of name: String, base: String) -> Int? {
        if name == base { return 0 }
        guard name.hasPrefix(base + "_") else { return nil }
        return Int(name.dropFirst(base.count + 1))
    }
}
