package import ChatAPI
package import ChatProtocol
import Synchronization

/// An invitation to relay a channel, with the data of the channel's link.
package struct RelayInvitation: Sendable {
    /// The profile that is invited.
    package let user: UserID
    /// The group that represents the channel.
    package let group: GroupID
    /// The profile of the channel.
    package let profile: GroupProfile
    /// The identifier of the channel, as the API shows it; empty if the link has none.
    package let channelID: String
    /// The name of the owner who invites.
    package let ownerName: String
    /// The public keys of the channel's owners, as the API shows them.
    package let ownerKeys: [String]
    /// The number of channels that are served already.
    package let served: Int
}

/// An answer to the invitation to relay a channel.
package enum RelayReviewAnswer: Sendable, Hashable {
    /// The channel is served, unless the policy forbids it.
    case accept
    /// The channel is not served.
    case refuse
    /// The invitation is shown again later, for a day.
    case postpone
}

/// The program that decides about invitations to relay, in addition to the policy.
final class RelayReview: Sendable {
    private let decide = Mutex<(@Sendable (RelayInvitation) async throws -> RelayReviewAnswer)?>(nil)

    func set(_ decide: @escaping @Sendable (RelayInvitation) async throws -> RelayReviewAnswer) { self.decide.withLock { $0 = decide } }

    /// The answer of the program; `accept` without one, `postpone` if it fails.
    func answer(to invitation: RelayInvitation) async -> Result<RelayReviewAnswer, any Error> {
        guard let decide = decide.withLock(\.self) else { return .success(.accept) }
        do { return .success(try await decide(invitation)) } catch { return .failure(error) }
    }
}
