import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Logging
import SMPAgent
import SMPWire

/// The jobs of the agent, performed.
final class AgentJobHandler: AgentJobHandling {
    private let transactions: TransactionRunner
    private let agent: any AgentService
    private let hub: ChatEventHub
    private let servers: ServerConfigurator
    private let addresses: AddressPublisher
    private let requests: RequestAcceptor
    private let members: MemberConnector
    private let files: FileTransferController
    private let channels: ChannelConnector
    private let joins: JoinPacer
    private let logger: Logger

    init(
        transactions: TransactionRunner, agent: any AgentService, hub: ChatEventHub, servers: ServerConfigurator, addresses: AddressPublisher,
        requests: RequestAcceptor, members: MemberConnector, channels: ChannelConnector, files: FileTransferController, joins: JoinPacer,
        logger: Logger
    ) {
        self.transactions = transactions
        self.agent = agent
        self.hub = hub
        self.servers = servers
        self.addresses = addresses
        self.requests = requests
        self.members = members
        self.files = files
        self.channels = channels
        self.joins = joins
        self.logger = logger
    }

    func perform(_ job: AgentJob) async throws {
        switch job.task {
        case .allow(let confirmation, let info):
            do throws(AgentError) {
                try await agent.allowConnection(ConnectionID(job.connection), confirmation: ConfirmationID(confirmation), info: info)
            } catch {
                if error.isTemporary { throw error }
                // Done before a crash, or the connection is gone since.
                logger.debug("a connection could not be allowed", metadata: ["error": "\(error.code)"])
                await publish(error, connection: job.connection)
            }
        case .accept(let request): try await requests.acceptInBackground(request)
        case .reject(let invitation): try await ignoringPermanent { () async throws(AgentError) in try await agent.reject(InvitationID(invitation)) }
        case .delete(let connections, let messages, let waits): try await delete(connections, after: messages, waitsForDelivery: waits)
        case .publishAddress: try await addresses.publish(agentUser: job.agentUserID)
        case .publishGroupLink(let group): try await members.publishLink(of: group, agentUser: job.agentUserID)
        case .createMemberConnection(let member): try await members.createConnection(for: member)
        case .joinMember(let member, let link): try await members.join(member, by: link)
        case .acceptMember(let member, let invitation, let answer):
            if try await channels.refuses(member, InvitationID(invitation)) { return joins.end(member) }
            if case .admit = answer { try await waitForTurn(of: member) }
            do {
                try await members.accept(member, InvitationID(invitation), answer)
                joins.end(member)
            } catch {
                if !ChatCoreError(thrown: error).isTemporary { joins.end(member) }
                throw error
            }
        case .joinMemberContact(let contact): try await members.joinContact(contact)
        case .upload(let file, let recipients): try await files.upload(file, recipients: recipients)
        case .uploadDescription(let file): try await files.uploadDescription(file)
        case .download(let file): try await files.download(file)
        case .reserveReceived(let file): try await files.reserve(file)
        case .keepReceived(let transfer, let path): try await files.keep(transfer, at: path)
        case .deleteUploaded(let file): try await files.deleteUploaded(file)
        case .acceptRelay(let member): try await channels.acceptRelay(member)
        case .serveChannel(let group): try await channels.serve(group)
        case .joinRelay(let member): try await channels.joinRelay(member)
        case .findRelays(let group, let until): try await findRelays(group, until)
        case .answerRelayTest(let invitation, let challenge, let limit):
            try await channels.answerTest(InvitationID(invitation), challenge: challenge, agentUser: job.agentUserID, until: limit)
        case .setServers: try await servers.publish(agentUser: job.agentUserID)
        case .deleteUser(let deleteQueues):
            try await ignoringPermanent { () async throws(AgentError) in try await agent.deleteUser(job.agentUserID, deleteQueues: deleteQueues) }
        }
    }

    private func delete(_ connections: [Bytes], after messages: [Delivery], waitsForDelivery: Bool) async throws(AgentError) {
        if !messages.isEmpty {
            for result in await agent.send(messages.map(\.request)) {
                if case .failure(let fault) = result, fault.isTemporary { throw fault }
            }
        }
        try await ignoringPermanent { () async throws(AgentError) in
            try await agent.delete(connections.map { ConnectionID($0) }, waitDelivery: waitsForDelivery || !messages.isEmpty)
        }
    }

    /// Looks often at first: a relay that is invited again is there after some seconds, and posts do not wait for subscribers.
    private func findRelays(_ group: GroupID, _ limit: UTCTimestamp) async throws {
        do {
            try await channels.findRelays(group, until: limit)
        } catch {
            let elapsed = transactions.clock.time.now.seconds - limit.seconds + Channels.relaySearchPeriod
            guard ChatCoreError(thrown: error).isTemporary, (0..<120).contains(elapsed) else { throw error }
            throw JobPostponement(delay: .seconds(min(max(2, elapsed), 10)))
        }
    }

    /// - Throws: ``JobPostponement`` while others who join the group have their turn first.
    private func waitForTurn(of id: GroupMemberID) async throws {
        guard let target = try await members.target(id), target.connection == nil else { return }
        guard let wait = joins.wait(for: id, in: target.group.groupID, cost: JoinPace.cost(of: target.group)) else { return }
        logger.notice("a join waits for its turn: too many come to one group", metadata: ["code": "join.waits", "seconds": "\(wait.components.seconds)"])
        throw JobPostponement(delay: wait)
    }

    func report(_ job: AgentJob, failedWith error: any Error) async {
        if case .acceptMember(let member, _, _) = job.task { joins.end(member) }
        logger.warning("a job of the agent failed", metadata: ["kind": "\(job.task.kind)", "error": "\(error)"])
        hub.publish(.chatError(error: ChatCoreError(thrown: error).chatError ?? .store(error: .internalError(message: job.task.kind))))
    }

    /// Counts a job as done that was done before or cannot be done any more.
    private func ignoringPermanent(_ call: () async throws(AgentError) -> Void) async throws(AgentError) {
        do throws(AgentError) {
            try await call()
        } catch {
            if error.isTemporary { throw error }
            logger.debug("a job of the agent is obsolete", metadata: ["error": "\(error.code)"])
        }
    }

    /// Publishes an error of a connection that no command waits for.
    private func publish(_ fault: AgentError, connection: Bytes) async {
        do {
            try await transactions.transaction { transaction in
                guard let record = try transaction.db.connections.find(agentID: connection), let user = try transaction.db.users.find(record.userID)
                else { return }
                transaction.connectionEvents.report(fault, in: try transaction.connectionEvents.context(of: record, user: user))
            }
        } catch {
            logger.debug("an error could not be reported", metadata: ["error": "\(error.code)"])
        }
    }
}
