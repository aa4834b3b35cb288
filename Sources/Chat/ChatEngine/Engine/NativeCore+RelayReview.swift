extension NativeCore {
    /// Sets the program that decides about invitations to relay which the policy permits. Call it before the core starts: invitations that waited are shown then.
    ///
    /// An invitation can be shown again, after a failure or the end of the process.
    package func reviewRelayInvitations(by decide: @escaping @Sendable (RelayInvitation) async throws -> RelayReviewAnswer) {
        engine.channels.review.set(decide)
    }
}
