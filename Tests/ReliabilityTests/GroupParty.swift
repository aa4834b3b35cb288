import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import TestSupport

/// A member of a group, or a party of a conversation, as a process that can be killed at any moment: `parley api`, or an official client.
actor GroupParty {
    nonisolated let name: String
    nonisolated let client: OfficialClient
    /// True while nobody has taken the process away.
    private var isUp = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// The texts that were accepted, in order.
    private(set) var accepted: [String] = []

    init(_ name: String, server: String, fileServers: [String] = [], _ program: OfficialClient.Program) async throws {
        self.name = name
        var options = OfficialClient.Options(servers: [server])
        options.fileServers = fileServers
        options.program = program
        client = try OfficialClient(name, options)
        try await client.start()
        isUp = true
        guard case .parley = program else { return }
        let profile: JSONValue = ["profile": ["displayName": .string(name), "fullName": ""], "pastTimestamp": false, "userChatRelay": false]
        try await client.send("/_create user \(profile.text)")
        try await client.send("/_start")
    }

    // MARK: Life and death

    /// Kills the process, and starts it again after a while.
    func kill(downtime: Int) async throws {
        isUp = false
        await client.stop(.kill)
        try await PlannedPause.pass(milliseconds: downtime)
        try await client.start()
        isUp = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func stop() async { await client.stop(.terminate) }

    private func waitUntilUp() async {
        if !isUp { await withCheckedContinuation { waiting.append($0) } }
    }

    /// Does something as a person would: again if the process died meanwhile, or the router cannot be reached.
    ///
    /// - Parameter isDone: Tells whether an earlier attempt was successful after all.
    func persistently(_ what: String, isDone: () async throws -> Bool, _ body: (OfficialClient) async throws -> Void) async throws {
        // Between the death of a process and its successor, and while the router is away, no event says when another attempt is worth it.
        try await eventually("\(name) could \(what)", within: .seconds(300), every: .milliseconds(50)) {
            await waitUntilUp()
            do {
                if try await !isDone() { try await body(client) }
                return true
            } catch let error as PeerError {
                guard error.code != .refused || error.isOfBroker else { throw error }
                return false
            }
        }
    }

    /// The answer to a question, asked again if the process dies.
    func ask(_ command: String) async throws -> JSONValue {
        var answer = JSONValue.null
        try await persistently(command, isDone: { false }) { answer = try await $0.send(command) }
        return answer
    }

    // MARK: The group

    func say(_ text: String) async throws {
        let message: JSONValue = [["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]]
        var isFirst = true
        try await persistently("write") {
            guard !isFirst else {
                isFirst = false
                return false
            }
            return try await self.texts(at: 20).sent.contains(text)
        } _: {
            try await $0.send("/_send #1 json \(message.text)")
        }
        accepted.append(text)
    }

    /// The texts of the group as they stand in the database: those of this member, and those of others by their names.
    func texts(at count: Int = 10_000) async throws -> (sent: [String], received: [String: [String]]) {
        let items = try await ask("/_get chat #1 count=\(count)")["chat"]?["chatItems"]?.arrayValue ?? []
        var sent: [String] = []
        var received: [String: [String]] = [:]
        for item in items {
            guard let text = item["meta"]?["itemText"]?.stringValue else { continue }
            switch item["content"]?["type"]?.stringValue {
            case "sndMsgContent": sent.append(text)
            case "rcvMsgContent":
                let author = item["chatDir"]?["groupMember"]?["memberProfile"]?["displayName"]?.stringValue ?? "?"
                received[author, default: []].append(text)
            default: break
            }
        }
        return (sent, received)
    }

    struct Member: Sendable, Hashable {
        var id: Int64
        var role: String
        var status: String
        var isConnected: Bool

        var isCurrent: Bool { ["introduced", "intro-inv", "accepted", "announced", "connected", "complete", "creator"].contains(status) }
    }

    /// The other members by name; none before this profile is in a group.
    func members() async throws -> [String: Member] {
        guard try await membership() != nil else { return [:] }
        let members = try await ask("/_members #1")["group"]?["members"]?.arrayValue ?? []
        var found: [String: Member] = [:]
        for member in members {
            guard let name = member["localDisplayName"]?.stringValue, let id = member["groupMemberId"]?.intValue,
                let role = member["memberRole"]?.stringValue, let status = member["memberStatus"]?.stringValue
            else { continue }
            let isReady = member["activeConn"]?["connStatus"]?["type"]?.stringValue == "ready"
            found[name] = Member(id: id, role: role, status: status, isConnected: isReady)
        }
        return found
    }

    /// Joins a group by its link, once: a repeated request would be a second membership, so that what became of the first one is asked for.
    func join(_ link: String) async throws {
        try await persistently("join") {
            guard try await self.membership() == nil else { return true }
            // What was broken off before the router had the request goes on with the next attempt.
            let chats = try await self.ask("/_get chats 1 pcc=on count=100")["chats"]?.arrayValue ?? []
            return chats.contains { chat in
                let connection = chat["chatInfo"]?["contactConnection"]
                return connection != nil && connection?["pccConnStatus"]?["type"]?.stringValue != "prepared"
            }
        } _: {
            try await $0.send("/c \(link)")
        }
    }

    /// The own membership; nil before this profile is in a group.
    func membership() async throws -> Member? {
        let groups = try await ask("/_groups 1")["groups"]?.arrayValue ?? []
        guard let entry = groups.first, let member = (entry["groupInfo"] ?? entry.arrayValue?.first ?? entry)["membership"],
            let id = member["groupMemberId"]?.intValue, let role = member["memberRole"]?.stringValue, let status = member["memberStatus"]?.stringValue
        else { return nil }
        return Member(id: id, role: role, status: status, isConnected: true)
    }
}

extension PeerError {
    /// True for a router that cannot be reached: it may be dead at the moment.
    var isOfBroker: Bool { response?.text.contains("BROKER") == true }
}
