import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

// The test of a relay: has it the key of its address, and does it answer.

/// The command that tests a relay.
struct RelayTestCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// The command that tests a relay.
    var relayTestCommands: RelayTestCommands { RelayTestCommands(runner: self) }
}

extension RelayTestCommands {
    /// The time for which a test waits for the relay's answer.
    static let timeout = Duration.seconds(40)

    /// Tests a relay by its address.
    func test(_ text: String, user id: UserID?) async throws(ChatCoreError) -> ChatResponse {
        let user = try await query { try $0.user(id) }
        let agentUser = try runner.agentUser(of: user)
        func failed(_ step: String, _ error: ChatCoreError, _ profile: RelayProfile? = nil) -> ChatResponse {
            let shown = error.chatError ?? .chat(error: .internalError(message: error.message))
            return .chatRelayTestResult(user: user, relayProfile: profile, failure: RelayTestFailure(step: step, error: shown))
        }
        guard let address = try? ConnectionShortLink(wireString: text) else {
            return failed("getLink", ChatCoreError(Refusal.chat(.invalidConnectionRequest).error))
        }
        let resolved: ResolvedLink
        do {
            resolved = try await core.agent { agent throws(AgentError) in
                try await agent.resolveShortLink(user: agentUser, link: address.complete)
            }
        } catch {
            return failed("getLink", error)
        }
        guard let data = try? ShortLinkUserData.decode(RelayAddressLinkData.self, from: resolved.user.userData.bytes) else {
            return failed("decodeLink", ChatCoreError(Refusal.chat(.relayTestError(message: "no relay address link data")).error))
        }
        let link = resolved.fixed.connectionRequest
        guard core.agent.compatibility(of: link, pqSupport: false) != nil else {
            return failed("connect", ChatCoreError(Refusal.chat(.relayTestError(message: "invalid connection request")).error), data.relayProfile)
        }
        let challenge = core.random.bytes(32)
        let answer: ChatMessageEvent?
        do {
            answer = try await relayAnswer(to: challenge, by: link, user: user)
        } catch {
            return failed("connect", error, data.relayProfile)
        }
        switch RelayTestDecision(answer, challenge: challenge, key: resolved.fixed.rootKey) {
        case .passed: return .chatRelayTestResult(user: user, relayProfile: data.relayProfile, failure: nil)
        case .failed(let step, let message):
            return failed(step, ChatCoreError(Refusal.chat(.relayTestError(message: message)).error), data.relayProfile)
        }
    }

    /// Sends a relay a challenge.
    ///
    /// - Returns: The answer; nil if none came in time.
    private func relayAnswer(to challenge: Bytes, by link: ConnectionRequestURI, user: User) async throws(ChatCoreError) -> ChatMessageEvent? {
        let agentUser = try runner.agentUser(of: user)
        let connection = try await core.agent { agent throws(AgentError) in
            try await agent.prepareToJoin(user: agentUser, link: link, pqSupport: false)
        }
        defer { core.leftovers.discard(.connection(.delete(connections: [connection.bytes], after: []))) }
        let info = try await transaction { transaction in
            try transaction.db.relays.insertRelayTest(connection.bytes, user: user.userID, at: transaction.now)
            return try transaction.outbox.connectionInfo(
                .testGroupRelay(challenge: Base64URLBytes(challenge), signature: nil), pqSupport: false, peerVersion: ChatVersions.initial.max)
        }
        let answers = core.relayTests.begin(connection.bytes)
        defer { core.relayTests.end(connection.bytes) }
        _ = try await core.agent { agent throws(AgentError) in
            try await agent.join(user: agentUser, connection: connection, link: link, info: info, pqSupport: false, subscription: .subscribe)
        }
        let clock = core.clock, tests = core.relayTests
        let timeout = Task {
            do { try await clock.sleep(for: Self.timeout) } catch { return }
            tests.end(connection.bytes)
        }
        defer { timeout.cancel() }
        for await answer in answers { return answer }
        return nil
    }
}

/// The decision about the answer of a relay to its test.
enum RelayTestDecision: Hashable, Sendable {
    case passed
    case failed(step: String, message: String)

    /// - Parameters:
    ///   - answer: The answer; nil if none came in time.
    ///   - key: The key of the relay's address.
    init(_ answer: ChatMessageEvent?, challenge: Bytes, key: Ed25519.PublicKey) {
        switch answer {
        case nil: self = .failed(step: "waitResponse", message: "timeout")
        case .testGroupRelay(_, let signature?):
            self = key.isValidSignature(signature.bytes, for: challenge) ? .passed : .failed(step: "verify", message: "invalid signature")
        case .testGroupRelay: self = .failed(step: "verify", message: "no signature in response")
        default: self = .failed(step: "waitResponse", message: "unexpected message type")
        }
    }
}
