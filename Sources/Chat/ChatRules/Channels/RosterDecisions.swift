package import ChatAPI
package import ChatProtocol

// Decisions about rosters of channels: their versions, their chunks, and the acknowledgements of relays.

/// The knowledge of a profile about the versions of a channel's roster.
package struct RosterState: Hashable, Sendable {
    /// The newest version that an owner has signed, as far as this profile knows. Nothing of an earlier one counts any more.
    package var version: RosterVersion?
    /// The version up to which this profile has missed nothing.
    package var complete: RosterVersion?

    package init(version: RosterVersion? = nil, complete: RosterVersion? = nil) {
        self.version = version
        self.complete = complete
    }

    /// The state after a whole roster.
    package func applying(_ version: RosterVersion) -> RosterState { RosterState(version: version, complete: version) }
}

/// The decision about a signed change of a member by the version of the roster that it names.
package enum RosterGate: Hashable, Sendable {
    /// The change names no version, or is not an owner's: other rules decide.
    case pass
    /// The change is new.
    ///
    /// - Parameter hasGap: True if changes before it are missing.
    case advance(RosterState, hasGap: Bool)
    /// The change is of the time before the roster that is known, or names no version although it must: somebody repeats it.
    case refuse

    /// - Parameter concernsRoster: True for a change of a role that rosters give or take. In a channel with a roster, owners name its version.
    package init(_ version: RosterVersion?, concernsRoster: Bool = false, by role: GroupMemberRole, after state: RosterState) {
        guard role == .owner, let version else {
            self = role == .owner && concernsRoster && state.version != nil ? .refuse : .pass
            return
        }
        guard state.version.map({ version >= $0 }) ?? true else {
            self = .refuse
            return
        }
        let expected = RosterVersion.after(state.complete)
        self = .advance(RosterState(version: version, complete: version == expected ? version : state.complete), hasGap: version > expected)
    }
}

/// The decision about a roster whose list is still to come.
package enum RosterOfferDecision: Hashable, Sendable {
    case accept
    case ignore
    case refuse(String)

    /// - Parameters:
    ///   - author: The one who has signed it.
    ///   - state: The versions that this profile knows.
    ///   - pending: The version whose list is coming over the same connection; nil for none.
    package init(
        _ roster: GroupRoster, id: SharedMessageID?, by author: GroupMemberRole, to membership: GroupMember, _ state: RosterState, pending: RosterVersion?
    ) {
        if author != .owner {
            self = .refuse("x.grp.roster: not signed by an owner")
        } else if membership.role == .owner {
            // The own roster comes back.
            self = .ignore
        } else if !(Int64(2)...Int64(ChatLimits.rosterBytes)).contains(roster.list.size) {
            self = .refuse("x.grp.roster: the size of the list is not within limits")
        } else if roster.list.digest.bytes.count != InlineFileInvitation.digestSize {
            self = .refuse("x.grp.roster: the digest of the list is not one of SHA-512")
        } else if id == nil {
            self = .refuse("x.grp.roster: missing shared message id")
        } else if [state.version, pending].contains(where: { known in known.map { roster.version < $0 } ?? false }) {
            self = .refuse("x.grp.roster: version not newer than current, ignoring")
        } else {
            self = .accept
        }
    }
}

/// The decision about a chunk of the list of a roster.
package enum RosterChunkDecision: Hashable, Sendable {
    /// - Parameter fromStart: True if what has come before of the list is dropped.
    case append(fromStart: Bool, isLast: Bool)
    /// The chunk came before.
    case ignore
    /// The list cannot become whole.
    case drop

    /// - Parameters:
    ///   - count: Bytes of the chunk.
    ///   - size: Bytes of the list.
    ///   - received: Bytes of it that have come.
    package init(_ number: UInt8, bytes count: Int, size: Int64, received: Int64) {
        let chunks = InlineChunks(size: size), known = received / InlineChunks.largest
        switch Int64(number) {
        case known + 1, 1:
            guard Int64(number) <= chunks.count, Int64(count) == chunks.size(of: Int64(number)) else {
                self = .drop
                return
            }
            self = .append(fromStart: number == 1, isLast: Int64(number) == chunks.count)
        case ...known: self = .ignore
        default: self = .drop
        }
    }
}

/// The consequence of a relay's acknowledgement for its owner.
package enum RosterAcknowledgementDecision: Hashable, Sendable {
    /// The relay has the roster: subscribers may come.
    case publish
    /// The relay cannot store it.
    case reject(String)
    /// The acknowledgement is of an earlier roster: that of the present one follows.
    case wait
    /// The relay is not being set up.
    case ignore

    package init(_ version: RosterVersion, error: String?, by status: RelayStatus?, current: RosterVersion?) {
        guard status == .accepted else {
            self = .ignore
            return
        }
        if let error {
            self = .reject(error)
        } else {
            self = version == current ? .publish : .wait
        }
    }
}
