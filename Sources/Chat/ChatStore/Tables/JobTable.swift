package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
package import SMPWire
package import XFTPProtocol

/// A job for the agent that outlives a crash.
package struct AgentJob: Sendable, Hashable {
    /// The kinds of jobs.
    package enum Task: Sendable, Hashable {
        /// Let the party that joined our invitation connect, with our information.
        case allow(confirmation: Bytes, info: Bytes)
        /// Accept a request to be a contact, by the connection that is prepared for it if there is one already.
        case accept(request: UserContactRequestID)
        case reject(invitation: Bytes)
        /// Delete connections: at once, or after these messages and all before them are delivered.
        case delete(connections: [Bytes], after: [Delivery], waitsForDelivery: Bool = false)
        case deleteUser(deleteQueues: Bool)
        /// Publish the profile behind the link of the profile's address.
        case publishAddress
        /// Publish the profile of a group behind its link.
        case publishGroupLink(group: GroupID)
        /// Use the servers of the profile.
        case setServers
        /// Make the connection to which a member is invited that the host has introduced.
        case createMemberConnection(member: GroupMemberID)
        /// Join the connection to which a member has invited.
        case joinMember(member: GroupMemberID, link: String)
        /// Answer the request of a member to join by a link.
        case acceptMember(member: GroupMemberID, invitation: Bytes, answer: JoinAnswer = .admit(.accepted))
        /// Join the connection to which a member has invited as a contact.
        case joinMemberContact(contact: ContactID)
        /// Upload a file, with descriptions for that many recipients.
        case upload(file: FileID, recipients: Int)
        /// Upload the description of a file, to which links lead.
        case uploadDescription(file: FileID)
        case download(file: FileID)
        /// Reserve a path for a file whose chunks have all come in messages.
        case reserveReceived(file: FileID)
        /// Write a file whose chunks have all come in messages, and remove what an earlier attempt has left.
        case keepReceived(transfer: FileTransferID, path: String)
        /// Delete a file from the routers to which it was uploaded.
        case deleteUploaded(file: FileID)
        /// Go on with a relay that has accepted the invitation to a channel.
        case acceptRelay(member: GroupMemberID)
        /// Relay for the channel whose owner has invited this profile.
        case serveChannel(group: GroupID)
        /// Join a channel by one of its relays.
        case joinRelay(member: GroupMemberID)
        /// Join a channel by the relays that its link names by now. While it names none, it is read again until a time.
        case findRelays(group: GroupID, until: UTCTimestamp)
        /// Prove to the one who tests this relay that it has the key of its address. What fails is tried again until a time.
        case answerRelayTest(invitation: Bytes, challenge: Bytes, until: UTCTimestamp)
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

extension AgentJob {
    /// The stored form of a task.
    package static func payload(of task: Task, agentUser: Int64) -> JSONValue { ["user": .int(agentUser), "task": task.json] }

    /// Reads a stored job.
    ///
    /// - Returns: nil for one that this version does not understand.
    package init?(id: Int64, kind: String, connection: Bytes?, payload: String, createdAt: UTCTimestamp) {
        guard let payload = try? JSONValue(parsing: payload), let json = payload["task"], let task = Task(kind: kind, json: json) else { return nil }
        self.init(id: id, agentUserID: payload["user"]?.intValue ?? 0, connection: connection ?? [], task: task, createdAt: createdAt)
    }
}

extension AgentJob.Task {
    package var kind: String {
        switch self {
        case .allow: "allow"
        case .accept: "accept"
        case .reject: "reject"
        case .delete: "delete"
        case .deleteUser: "deleteUser"
        case .publishAddress: "publishAddress"
        case .publishGroupLink: "publishGroupLink"
        case .setServers: "setServers"
        case .createMemberConnection: "createMemberConnection"
        case .joinMember: "joinMember"
        case .acceptMember: "acceptMember"
        case .joinMemberContact: "joinMemberContact"
        case .upload: "upload"
        case .uploadDescription: "uploadDescription"
        case .download: "download"
        case .reserveReceived: "reserveReceived"
        case .keepReceived: "keepReceived"
        case .deleteUploaded: "deleteUploaded"
        case .acceptRelay: "acceptRelay"
        case .serveChannel: "serveChannel"
        case .joinRelay: "joinRelay"
        case .findRelays: "findRelays"
        case .answerRelayTest: "answerRelayTest"
        }
    }

    fileprivate var json: JSONValue {
        func text(_ bytes: Bytes) -> JSONValue { .string(Base64URL.encode(bytes)) }
        return switch self {
        case .allow(let confirmation, let info): ["confirmation": text(confirmation), "info": text(info)]
        case .accept(let request): ["request": request.json]
        case .reject(let invitation): ["invitation": text(invitation)]
        case .delete(let connections, let messages, let waits):
            ["connections": .array(connections.map(text)), "after": .array(messages.map(\.json)), "waits": .bool(waits)]
        case .deleteUser(let deleteQueues): ["deleteQueues": .bool(deleteQueues)]
        case .publishAddress, .setServers: [:]
        case .publishGroupLink(let group): ["group": group.json]
        case .createMemberConnection(let member): ["member": member.json]
        case .joinMember(let member, let link): ["member": member.json, "link": .string(link)]
        case .acceptMember(let member, let invitation, .admit(let acceptance)):
            ["member": member.json, "invitation": text(invitation), "acceptance": .string(acceptance.rawValue)]
        case .acceptMember(let member, let invitation, .refuse(let reason)):
            ["member": member.json, "invitation": text(invitation), "rejection": .string(reason.code)]
        case .joinMemberContact(let contact): ["contact": contact.json]
        case .upload(let file, let recipients): ["file": file.json, "recipients": .int(Int64(recipients))]
        case .uploadDescription(let file), .download(let file), .deleteUploaded(let file), .reserveReceived(let file): ["file": file.json]
        case .keepReceived(let transfer, let path): ["transfer": text(transfer.bytes), "path": .string(path)]
        case .acceptRelay(let member), .joinRelay(let member): ["member": member.json]
        case .serveChannel(let group): ["group": group.json]
        case .findRelays(let group, let until): ["group": group.json, "until": .int(until.stored)]
        case .answerRelayTest(let invitation, let challenge, let until):
            ["invitation": text(invitation), "challenge": text(challenge), "until": .int(until.stored)]
        }
    }

    fileprivate init?(kind: String, json: JSONValue) {
        func bytes(_ value: JSONValue?) -> Bytes? { value?.stringValue.flatMap { Base64URL.decode($0) } }
        switch kind {
        case "allow":
            guard let confirmation = bytes(json["confirmation"]), let info = bytes(json["info"]) else { return nil }
            self = .allow(confirmation: confirmation, info: info)
        case "accept":
            guard let request = json["request"]?.intValue else { return nil }
            self = .accept(request: UserContactRequestID(request))
        case "reject":
            guard let invitation = bytes(json["invitation"]) else { return nil }
            self = .reject(invitation: invitation)
        case "delete":
            let connections = (json["connections"]?.arrayValue ?? []).compactMap(bytes)
            self = .delete(
                connections: connections, after: (json["after"]?.arrayValue ?? []).compactMap(Delivery.init),
                waitsForDelivery: json["waits"]?.boolValue ?? false)
        case "deleteUser": self = .deleteUser(deleteQueues: json["deleteQueues"]?.boolValue ?? false)
        case "publishAddress": self = .publishAddress
        case "setServers": self = .setServers
        case "publishGroupLink":
            guard let group = json["group"]?.intValue else { return nil }
            self = .publishGroupLink(group: GroupID(group))
        case "createMemberConnection":
            guard let member = json["member"]?.intValue else { return nil }
            self = .createMemberConnection(member: GroupMemberID(member))
        case "joinMember":
            guard let member = json["member"]?.intValue, let link = json["link"]?.stringValue else { return nil }
            self = .joinMember(member: GroupMemberID(member), link: link)
        case "acceptMember":
            guard let member = json["member"]?.intValue, let invitation = bytes(json["invitation"]) else { return nil }
            // Jobs of earlier versions say no more than that the member is accepted.
            let acceptance = json["acceptance"]?.stringValue.flatMap(GroupAcceptance.init(rawValue:)) ?? .accepted
            let answer = json["rejection"]?.stringValue.map { JoinAnswer.refuse(GroupRejectionReason(code: $0)) } ?? .admit(acceptance)
            self = .acceptMember(member: GroupMemberID(member), invitation: invitation, answer: answer)
        case "joinMemberContact":
            guard let contact = json["contact"]?.intValue else { return nil }
            self = .joinMemberContact(contact: ContactID(contact))
        case "upload":
            guard let file = json["file"]?.intValue, let recipients = json["recipients"]?.intValue else { return nil }
            self = .upload(file: FileID(file), recipients: Int(clamping: recipients))
        case "uploadDescription", "download", "deleteUploaded":
            guard let number = json["file"]?.intValue else { return nil }
            let file = FileID(number)
            self = kind == "download" ? .download(file: file) : kind == "deleteUploaded" ? .deleteUploaded(file: file) : .uploadDescription(file: file)
        case "reserveReceived":
            guard let file = json["file"]?.intValue else { return nil }
            self = .reserveReceived(file: FileID(file))
        case "keepReceived":
            guard let transfer = bytes(json["transfer"]), let path = json["path"]?.stringValue else { return nil }
            self = .keepReceived(transfer: FileTransferID(transfer), path: path)
        case "acceptRelay", "joinRelay":
            guard let member = json["member"]?.intValue.map({ GroupMemberID($0) }) else { return nil }
            self = kind == "acceptRelay" ? .acceptRelay(member: member) : .joinRelay(member: member)
        case "serveChannel":
            guard let group = json["group"]?.intValue else { return nil }
            self = .serveChannel(group: GroupID(group))
        case "findRelays":
            guard let group = json["group"]?.intValue, let until = json["until"]?.intValue else { return nil }
            self = .findRelays(group: GroupID(group), until: UTCTimestamp(stored: until))
        case "answerRelayTest":
            guard let invitation = bytes(json["invitation"]), let challenge = bytes(json["challenge"]) else { return nil }
            // Jobs of earlier versions have no limit: they get one more attempt.
            self = .answerRelayTest(invitation: invitation, challenge: challenge, until: UTCTimestamp(stored: json["until"]?.intValue ?? 0))
        default: return nil
        }
    }
}

extension Delivery {
    fileprivate var json: JSONValue {
        [
            "id": .int(id), "connection": connectionID.json, "agentConnection": .string(Base64URL.encode(agentConnectionID)),
            "body": .string(Base64URL.encode(body)), "notifies": .bool(notifies), "pqEncryption": .bool(pqEncryption),
        ]
    }

    fileprivate init?(json: JSONValue) {
        guard let id = json["id"]?.intValue, let connection = json["connection"]?.intValue,
            let agentConnection = json["agentConnection"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let body = json["body"]?.stringValue.flatMap({ Base64URL.decode($0) }), let notifies = json["notifies"]?.boolValue,
            let pqEncryption = json["pqEncryption"]?.boolValue
        else { return nil }
        self.init(
            id: id, connectionID: ChatConnectionID(connection), agentConnectionID: agentConnection, bodyID: 0, body: body, notifies: notifies,
            pqEncryption: pqEncryption)
    }
}

/// Requests to the agent that survive a restart.
package struct JobTable {
    let db: Database

    package func insert(
        _ task: AgentJob.Task, connection: Bytes?, agentUserID: Int64?, user: UserID?, at time: UTCTimestamp
    ) throws -> AgentJob {
        let payload = AgentJob.payload(of: task, agentUser: agentUserID ?? 0)
        let id = try db.insert(
            "INSERT INTO agent_work (user_id, kind, agent_connection_id, payload_json, created_at) VALUES (?, ?, ?, ?, ?)",
            [user, task.kind, connection?.blob, payload.text, time.stored])
        return AgentJob(id: id, agentUserID: agentUserID ?? 0, connection: connection ?? [], task: task, createdAt: time)
    }

    /// The jobs that are not done yet, oldest first. Those that are not understood are left out; see ``unreadable()``.
    package func waiting() throws -> [AgentJob] {
        try db.all("SELECT agent_work_id, agent_connection_id, kind, payload_json, created_at FROM agent_work ORDER BY agent_work_id") { row in
            let id = row.int(), connection = row.optionalBytes(), kind = row.text(), payload = row.text()
            return AgentJob(id: id, kind: kind, connection: connection, payload: payload, createdAt: UTCTimestamp(stored: row.int()))
        }.compactMap { (work: AgentJob?) in work }
    }

    /// The kinds of the jobs that this version does not understand: of a later version, or damaged. They are not lost, and not done.
    package func unreadable() throws -> [String] {
        try db.all("SELECT agent_work_id, agent_connection_id, kind, payload_json, created_at FROM agent_work ORDER BY agent_work_id") { row -> String? in
            let id = row.int(), connection = row.optionalBytes(), kind = row.text(), payload = row.text()
            let job = AgentJob(id: id, kind: kind, connection: connection, payload: payload, createdAt: UTCTimestamp(stored: row.int()))
            return job == nil ? kind : nil
        }.compactMap(\.self)
    }

    package func delete(_ id: Int64) throws {
        try db.run("DELETE FROM agent_work WHERE agent_work_id = ?", [id])
    }
}
