package import ChatAPI
package import ChatProtocol
package import SMPCrypto
package import SMPWire

/// The decisions of a relay about authors whom it shows to subscribers.
package enum RelayIntroductionRules {
    /// Tells whether a message makes its author known first: what members read as its words, or what it decides about others. Those who react, comment, leave
    /// or change their profile are known by the names with which their messages come.
    package static func makesKnown(_ event: ChatMessageEvent) -> Bool {
        switch event {
        case .newMessage, .updateMessage, .deleteMessage, .memberRole, .restrictMember, .removeMember: true
        default: false
        }
    }

    /// Tells whether an author is shown: owners are known by the link, and a role that no owner has signed is claimed for nobody.
    ///
    /// - Parameter isListed: True if the roster that the relay has lists the author.
    package static func introduces(_ author: GroupMember, isListed: Bool) -> Bool {
        guard !author.isRelay, author.role != .owner, author.status != .removed else { return false }
        return isListed || !RosterRules.isPrivileged(author.role)
    }
}

/// The proof that somebody who asks a relay to join has the private key of the member that it names.
package enum JoinProof {
    /// Tells whether a request proves that its sender has the key.
    ///
    /// - Parameters:
    ///   - signed: The request as it was signed; nil without a signature.
    ///   - relay: The relay that the request names. Another relay cannot use it.
    package static func isSigned(_ signed: SignedMessage?, by id: MemberID, key: Ed25519.PublicKey, relay: MemberID?, in group: GroupInfo) -> Bool {
        guard let signed, let channel = group.groupProfile.publicGroup?.publicGroupID, relay == group.membership.memberID else { return false }
        return signed.isValid(in: .group(publicGroupID: channel.bytes, member: id), key: key)
    }

    /// Tells whether a request proves that its sender is a member that this relay knows.
    package static func isValid(_ signed: SignedMessage?, key: Ed25519.PublicKey, relay: MemberID?, of member: GroupMember, in group: GroupInfo) -> Bool {
        guard member.signingKey == key, member.status == .unknown || member.status.isCurrent, !member.isRelay, member.role != .owner else { return false }
        return isSigned(signed, by: member.memberID, key: key, relay: relay, in: group)
    }

    /// Tells whether a request needs the proof. Clients that know no rosters do not sign it; those with an identifier that is bound to a key do.
    package static func isRequired(of id: MemberID, versions: VersionRange) -> Bool {
        versions.max >= ChatVersions.groupRoster || id.bytes.count == BoundMemberID.length
    }
}
