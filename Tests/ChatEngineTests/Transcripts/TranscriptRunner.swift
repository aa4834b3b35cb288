import ChatAPI
import ChatProtocol
import ChatRules
import SMPProtocol
import SMPWire
import TestSupport
import TranscriptSupport

@testable import ChatEngine

/// Runs the commands of a recorded conversation against cores of ours and compares what they say.
final class TranscriptRunner {
    /// Events that come when they come, as often as they come: how far messages are delivered, and the state of sessions.
    private static let uncounted: Set<String> = [
        "chatItemsStatusesUpdated", "connectionsDiff", "subscriptionStatus", "hostConnected", "hostDisconnected", "chatSuspended",
    ]

    private let conversation: RecordedConversation
    private let transcript: Transcript
    private let peers: [String: TestCore]
    /// The folder that the recording calls `$WORK`.
    private let folder: TemporaryFolder
    private var correspondence = Correspondence()
    /// How many events of each peer were compared.
    private var seen: [String: Int] = [:]
    /// Differences found.
    private(set) var report: [String] = []
    /// How many answers and events were compared.
    private(set) var compared = 0

    init(_ conversation: RecordedConversation) async throws {
        self.conversation = conversation
        folder = try TemporaryFolder()
        let transcript = try Transcript.load(conversation.name)
        self.transcript = transcript
        let world = try transcript.routerAddress.map { TestWorld(routerAddress: try SMPServerAddress(wireString: $0)) } ?? TestWorld()
        let presets = ["SimpleX Status", "Ask SimpleX Team"].map { name in
            transcript.profile(ofContact: name) ?? Profile(displayName: name, fullName: "")
        }
        var peers: [String: TestCore] = [:]
        for name in conversation.peers { peers[name] = try await world.core(name, presets: presets) { transcript.configure(&$0, of: name) } }
        self.peers = peers
    }

    func close() async {
        for peer in peers.values { await peer.close() }
    }

    func run() async throws {
        var responses: [String: JSONValue] = [:]
        for line in transcript.lines where line.direction == .response {
            if let id = line.correlationID { responses["\(line.peer) \(id)"] = line.body }
        }
        for line in conversation.inOrder(transcript.lines) where !conversation.leavesOut(line.number, .notRun) {
            guard let peer = peers[line.peer] else { continue }
            switch line.direction {
            case .command:
                guard let text = line.body.stringValue, let id = line.correlationID, let expected = responses["\(line.peer) \(id)"]
                else { continue }
                let actual = try await peer.answer(translate(text, for: line.peer), for: .v65)
                compare(expected, actual, line, "\(text.prefix(90))")
            case .event where conversation.leavesOut(line.number, .eventsNotCompared):
                if await isThere(seen[line.peer] ?? 0, peer) { seen[line.peer, default: 0] += 1 }
            case .event: await compareEvent(line, of: peer)
            case .response, .note: break
            }
        }
        guard conversation.comparesToTheEnd else { return }
        for (name, peer) in peers {
            for event in counted(peer).dropFirst(seen[name] ?? 0) {
                report.append("\(name) has an event that was not recorded: \(event.text.prefix(300))")
            }
        }
    }

    private func isCounted(_ event: JSONValue) -> Bool {
        let type = event["type"]?.stringValue ?? ""
        return !Self.uncounted.contains(type) && !conversation.uncounted.contains(type)
    }

    private func counted(_ peer: TestCore) -> [JSONValue] { peer.events.compactMap { try? $0.json(for: .v65) }.filter(isCounted) }

    private func isThere(_ index: Int, _ peer: TestCore) async -> Bool {
        let uncounted = Self.uncounted.union(conversation.uncounted)
        return await peer.wait { events in events.count { !uncounted.contains($0.json["type"]?.stringValue ?? "") } > index }
    }

    private func compareEvent(_ line: Transcript.Line, of peer: TestCore) async {
        guard isCounted(line.body) else { return }
        let type = line.body["type"]?.stringValue ?? ""
        // Official cores complain of what their agents say of connections that were deleted.
        if line.body["chatError"]?["errorType"]?["type"]?.stringValue == "noConnectionUser" { return }
        let index = seen[line.peer] ?? 0
        let place = "line \(line.number) \(line.peer) event \(type)"
        guard await isThere(index, peer) else {
            report.append("\(place): did not come")
            return
        }
        let actual = counted(peer)[index]
        seen[line.peer] = index + 1
        guard actual["type"]?.stringValue == type else {
            report.append("\(place): came \(actual.text.prefix(300)) instead of \(line.body.text.prefix(200))")
            // One that came too early does not spoil all others.
            let later = counted(peer).dropFirst(index + 1).prefix(3).contains { $0["type"]?.stringValue == type }
            if later { await compareEvent(line, of: peer) }
            return
        }
        compare(line.body, actual, line, "event \(type)")
    }

    private func compare(_ expected: JSONValue, _ actual: JSONValue, _ line: Transcript.Line, _ what: String) {
        guard !conversation.leavesOut(line.number, .notCompared) else { return }
        compared += 1
        var comparison = Comparison(line.peer, correspondence)
        comparison.compare(expected, actual)
        correspondence = comparison.correspondence
        guard !comparison.differences.isEmpty else { return }
        report.append("line \(line.number) \(line.peer) \(what)\n    " + comparison.differences.prefix(12).joined(separator: "\n    "))
    }

    // MARK: Commands

    /// A recorded command with the links and numbers that stand here for its own.
    private func translate(_ command: String, for peer: String) -> String {
        var command = correspondence.translated(command).replacing("$WORK", with: folder.path)
        let forms: [(Regex<(Substring, Substring, Substring)>, Correspondence.Kind)] = [
            (/^(\/_\S+ (?:incognito=\S+ )?:)(\d+)/, .connection), (/^(\/_(?:accept|reject) (?:incognito=\S+ )?)(\d+)/, .request),
            (/^(\/_(?:user|get chats|connect|contacts|address|show_address) )(\d+)/, .user),
            (/^(\/_\S+ (?:chat |item |contact )?@)(\d+)/, .contact),
            (/^(\/_(?:update item|get item info|reaction|delete item|forward \S+) \S+ )(\d+)/, .item),
        ]
        for (form, kind) in forms {
            guard let match = command.firstMatch(of: form),
                let number = correspondence.counterpart(of: String(match.2), kind, at: peer)
            else { continue }
            command = match.1 + number + command[match.range.upperBound...]
        }
        return command
    }
}

extension Transcript {
    /// The profile of a contact of that name, as some response shows it.
    fileprivate func profile(ofContact name: String) -> Profile? {
        for line in lines where line.direction == .response {
            if let found = Self.profile(ofContact: name, in: line.body) { return found }
        }
        return nil
    }

    private static func profile(ofContact name: String, in json: JSONValue) -> Profile? {
        switch json {
        case .object(let object):
            if object["localDisplayName"]?.stringValue == name, let json = object["profile"], let profile = try? Profile(json: json) {
                return profile
            }
            return object.members.lazy.compactMap { profile(ofContact: name, in: $0.value) }.first
        case .array(let elements): return elements.lazy.compactMap { profile(ofContact: name, in: $0) }.first
        default: return nil
        }
    }
}
