import ChatAPI
package import ChatProtocol
package import SMPWire

/// A job for the agent that outlives a crash.
package struct AgentJob: Sendable, Hashable {
    /// The task, by the feature that performs it.
    package enum Task: Sendable, Hashable {
        case connection(ConnectionJob)
        case contact(ContactJob)
        case group(GroupJob)
        case file(FileJob)
        case channel(ChannelJob)
        case profile(ProfileJob)
    }

    package var id: Int64
    package var agentUserID: Int64
    /// The connection that the task is about.
    package var connection: Bytes
    package var task: Task
    /// The time at which the transaction wrote it.
    package var createdAt: UTCTimestamp

    package init(id: Int64, agentUserID: Int64, connection: Bytes, task: Task, createdAt: UTCTimestamp) {
        self.id = id
        self.agentUserID = agentUserID
        self.connection = connection
        self.task = task
        self.createdAt = createdAt
    }
}

/// The jobs of one feature.
protocol FeatureJob {
    /// The name under which jobs of the kind are stored.
    var kind: String { get }
    /// The stored parameters.
    var json: JSONValue { get }
    /// True if what a peer has sent brought the job about, and names what the agent works with: its routers, its keys.
    var isCausedByPeers: Bool { get }

    /// Reads a stored job.
    ///
    /// - Returns: nil for one of another feature, and for one that this version does not understand.
    init?(kind: String, json: JSONValue)
}

extension AgentJob {
    /// The stored form of a task.
    package static func payload(of task: Task, agentUser: Int64) -> JSONValue { ["user": .int(agentUser), "task": task.feature.json] }

    /// Reads a stored job.
    ///
    /// - Returns: nil for one that this version does not understand.
    package init?(id: Int64, kind: String, connection: Bytes?, payload: String, createdAt: UTCTimestamp) {
        guard let payload = try? JSONValue(parsing: payload), let json = payload["task"], let task = Task(kind: kind, json: json) else { return nil }
        self.init(id: id, agentUserID: payload["user"]?.intValue ?? 0, connection: connection ?? [], task: task, createdAt: createdAt)
    }
}

extension AgentJob.Task {
    package var kind: String { feature.kind }

    /// True if what a peer has sent brought the job about, and names what the agent works with: its routers, its keys.
    package var isCausedByPeers: Bool { feature.isCausedByPeers }

    /// True if nothing may keep the job waiting: it is not a call over a network, and the start of the engine waits for it.
    package var isLocal: Bool { self == .profile(.setServers) }

    fileprivate var feature: any FeatureJob {
        switch self {
        case .connection(let job): job
        case .contact(let job): job
        case .group(let job): job
        case .file(let job): job
        case .channel(let job): job
        case .profile(let job): job
        }
    }

    fileprivate init?(kind: String, json: JSONValue) {
        if let job = ConnectionJob(kind: kind, json: json) {
            self = .connection(job)
        } else if let job = ContactJob(kind: kind, json: json) {
            self = .contact(job)
        } else if let job = GroupJob(kind: kind, json: json) {
            self = .group(job)
        } else if let job = FileJob(kind: kind, json: json) {
            self = .file(job)
        } else if let job = ChannelJob(kind: kind, json: json) {
            self = .channel(job)
        } else if let job = ProfileJob(kind: kind, json: json) {
            self = .profile(job)
        } else {
            return nil
        }
    }
}

extension JSONValue {
    /// The text form of bytes.
    init(_ bytes: Bytes) { self = .string(Base64URL.encode(bytes)) }

    /// The bytes of a text form.
    var bytesValue: Bytes? { stringValue.flatMap { Base64URL.decode($0) } }
}
