import ChatAPI
import ChatRules
import ChatStore
import Logging

/// The jobs of the agent, each performed by its feature.
final class AgentJobHandler: AgentJobHandling {
    private let connections: ConnectionJobPerformer
    private let contacts: ContactJobPerformer
    private let groups: GroupJobPerformer
    private let files: FileTransferController
    private let channels: ChannelJobPerformer
    private let profiles: ProfileJobPerformer
    private let hub: ChatEventHub
    private let logger: Logger

    init(
        connections: ConnectionJobPerformer, contacts: ContactJobPerformer, groups: GroupJobPerformer, files: FileTransferController,
        channels: ChannelJobPerformer, profiles: ProfileJobPerformer, hub: ChatEventHub, logger: Logger
    ) {
        self.connections = connections
        self.contacts = contacts
        self.groups = groups
        self.files = files
        self.channels = channels
        self.profiles = profiles
        self.hub = hub
        self.logger = logger
    }

    func perform(_ job: AgentJob) async throws {
        switch job.task {
        case .connection(let task): try await connections.perform(task, connection: job.connection)
        case .contact(let task): try await contacts.perform(task, agentUser: job.agentUserID)
        case .group(let task): try await groups.perform(task, agentUser: job.agentUserID)
        case .file(let task): try await files.perform(task)
        case .channel(let task): try await channels.perform(task, agentUser: job.agentUserID)
        case .profile(let task): try await profiles.perform(task, agentUser: job.agentUserID)
        }
    }

    func report(_ job: AgentJob, failedWith error: any Error) async {
        if case .group(let task) = job.task { groups.giveUp(task) }
        logger.warning("a job of the agent failed", metadata: ["kind": "\(job.task.kind)", "error": "\(error)"])
        hub.publish(.chatError(error: ChatCoreError(thrown: error).chatError ?? .store(error: .internalError(message: job.task.kind))))
    }
}
