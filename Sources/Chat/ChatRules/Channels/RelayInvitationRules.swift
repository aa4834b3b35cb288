package import ChatProtocol

/// The end of attempts at invitations to relay.
package enum RelayInvitationRules {
    /// The time for which an invitation is tried whose channel cannot be reached, in seconds.
    package static let lifetime: Int64 = 86_400

    /// Decides whether a failed attempt is the last one.
    package static func givesUp(isTemporary: Bool, invitedAt: UTCTimestamp, at now: UTCTimestamp) -> Bool {
        !isTemporary || invitedAt.adding(seconds: lifetime).stored < now.stored
    }
}
