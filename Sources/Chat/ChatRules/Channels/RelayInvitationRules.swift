package import ChatProtocol

/// The end of attempts at invitations to relay.
package enum RelayInvitationRules {
    /// The time for which an invitation is tried whose channel cannot be reached, in seconds.
    package static let lifetime: Int64 = 86_400

    /// The time for which a relay keeps the connection by which it has refused an invitation, in seconds. Most owners take the answer within a minute.
    package static let refusalLifetime: Int64 = 86_400
    /// The refusals of a profile that owners have not taken yet. Further invitations are refused without an answer: each of these has a queue on a router.
    package static let openRefusals = 100
    /// The refused invitations of a profile whose records are kept. The oldest one beyond them is forgotten.
    package static let keptRefusals = 1_000
    /// The records that the end of one invitation removes at most.
    package static let forgottenAtOnce = 16

    /// Decides whether a failed attempt is the last one.
    package static func givesUp(isTemporary: Bool, invitedAt: UTCTimestamp, at now: UTCTimestamp) -> Bool {
        !isTemporary || invitedAt.adding(seconds: lifetime).stored < now.stored
    }
}
