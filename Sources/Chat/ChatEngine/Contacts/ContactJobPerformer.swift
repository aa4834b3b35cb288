import ChatStore

/// Performs jobs about contacts and addresses.
struct ContactJobPerformer: Sendable {
    let requests: RequestAcceptor
    let addresses: AddressPublisher

    func perform(_ job: ContactJob, agentUser: Int64) async throws {
        switch job {
        case .accept(let request): try await requests.acceptInBackground(request)
        case .publishAddress: try await addresses.publish(agentUser: agentUser)
        }
    }
}
