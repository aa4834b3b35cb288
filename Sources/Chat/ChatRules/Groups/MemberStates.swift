package import ChatAPI
package import ChatProtocol
package import SMPWire

// The meaning of the states of a membership. The triggers of `group_members` count the states of `isCurrent`.

extension GroupMemberStatus {
    /// True for members who can take part: they are connected, or wait for admission.
    package var isActive: Bool {
        switch self {
        case .pendingApproval, .pendingReview, .connected, .complete, .creator: true
        default: false
        }
    }

    /// True for members who took part and do not any more.
    package var hasEnded: Bool {
        switch self {
        case .removed, .left, .groupDeleted: true
        default: false
        }
    }

    /// True for a profile that has asked to join and has no place in the group yet. Only then does the answer of a host or a relay decide about it.
    package var awaitsAdmission: Bool {
        switch self {
        case .unknown, .accepted, .rejected: true
        default: false
        }
    }

    /// The state in which somebody begins who asked to join.
    package init(_ answer: JoinAnswer, admission: GroupMemberAdmission?) {
        switch answer {
        case .admit(let acceptance): self.init(accepting: acceptance, admission: admission)
        case .refuse: self = .rejected
        }
    }

    /// The state in which a joining member begins.
    package init(accepting acceptance: GroupAcceptance, admission: GroupMemberAdmission?) {
        switch acceptance {
        case .pendingApproval: self = .pendingApproval
        case .pendingReview: self = .pendingReview
        case .accepted: self = admission?.review != nil ? .pendingReview : .accepted
        }
    }
}

extension GroupMember {
    /// The connection that messages can be sent over now; nil if they have to wait, or be forwarded.
    package var readyConnection: Connection? { openConnection.flatMap { $0.isInactive ? nil : $0 } }

    /// The connection that both sides have made, also while the queue of the other side is full.
    package var openConnection: Connection? {
        guard let connection = activeConnection, connection.status == .ready || connection.status == .sendReady, !connection.isDisabled,
            status != .rejected
        else { return nil }
        return connection
    }

    /// True if the member understands a version of the chat protocol.
    package func supports(_ version: ChatVersion) -> Bool { (activeConnection?.peerChatVersions ?? chatVersions).maxVersion >= Int(version) }

    /// True if the messages of the member are hidden, here or by a moderator.
    package var isBlocked: Bool { blockedByAdmin || !settings.showsMessages }

    /// True if moderators have something to read or to decide about the member.
    package var requiresAttention: Bool { status.isPending || (supportChat.map { $0.memberAttention > 0 || $0.mentions > 0 } ?? false) }

    /// The range of versions as the protocol writes it.
    package var versionRange: VersionRange { VersionRange(chatVersions) }

    /// The name that forwarded messages carry: at most 16 characters of it.
    package var shortName: String {
        let name = profile.displayName
        return name.count <= 16 ? name : name.prefix(16) + "…"
    }

    package var reference: GroupMemberReference { GroupMemberReference(groupMemberID: groupMemberID, profile: profile.published) }
}

extension Connection {
    /// Failed deliveries after which nothing more is sent over a connection: its queue is gone.
    package static let disablingErrorCount = 10
    /// Deliveries refused because the queue is full, after which the connection counts as inactive.
    package static let inactiveErrorCount = 5

    /// True if the queue of the other side is gone.
    package var isDisabled: Bool { authErrorCounter >= Self.disablingErrorCount }
    /// True if the queue of the other side stays full.
    package var isInactive: Bool { quotaErrorCounter >= Self.inactiveErrorCount }
}

extension VersionRange {
    /// The range that the API shows; one whose ends are in the wrong order is its lower end.
    package init(_ range: ChatVersionRange) {
        let low = ChatVersion(clamping: range.minVersion)
        self.init(low...Swift.max(low, ChatVersion(clamping: range.maxVersion)))
    }
}

extension ChatVersionRange {
    package init(_ range: VersionRange) { self.init(minVersion: Int(range.min), maxVersion: Int(range.max)) }
}

extension GroupInfo {
    /// True if this profile forwards messages between members that are not connected: administrators do, or the relays of the group.
    package var isForwarder: Bool { usesRelays ? membership.isRelay : membership.role >= .admin }

    /// The form of bodies with several messages in the group.
    package var batchMode: MessageBatching.Mode { usesRelays ? .binary : .json }

    /// Tells whether a member with a role may use a feature.
    package func allows(_ feature: GroupFeature, _ member: GroupMember) -> Bool { fullGroupPreferences.allows(feature, role: member.role) }

    /// Tells whether this profile may use a feature.
    package func allowsUser(_ feature: GroupFeature) -> Bool { allows(feature, membership) }

    /// Tells whether a feature that has no roles is on.
    package func allows(_ feature: GroupFeature) -> Bool { fullGroupPreferences[feature].enable == .on }

    /// True if the answer of a host or a relay to this profile's request counts. Another relay may have let this profile in before.
    package var awaitsAnswer: Bool { !isServedHere && (membership.status.awaitsAdmission || usesRelays && membership.status == .connected) }

    /// True if this profile takes part under a random profile.
    package var isIncognito: Bool { membership.profileID != membership.profile.profileID }
}
