internal import ChatEngine

extension CoreHost {
    /// Sets the session that answers invitations to relay, if one of the bots answers them.
    func answerChannelInvitations(of bots: [Bot], by session: HostSession) {
        guard bots.contains(where: { $0.answersChannelInvitation != nil }) else { return }
        native.reviewRelayInvitations { [weak session] in try await session?.answer(to: $0) ?? .postpone }
    }

    /// Gives the folder's identity to the database of the bots.
    func establish(_ bots: BotStateStore) async throws { try await establish(bots.database) }
}
