import ChatProtocol
import ChatRules
import SMPWire

/// Compares what a core says with what the official one said, up to the differences that must be.
///
/// All of them are stated here: times; what chance made (``Correspondence`` says what stands for what); what depends on which of two
/// sides was faster; what tells of the inside of the official program.
struct Comparison {
    /// Moments. That there is one is compared.
    static let times: Set<String> = [
        "itemTs", "createdAt", "updatedAt", "chatTs", "deletedTs", "itemVersionTs", "deleteAt", "sentAt", "timestamp", "verifiedAt",
        "userMemberProfileUpdatedAt", "notifiedAt", "acceptedAt", "deadline", "statsStartedAt",
    ]
    /// Salted passwords, and names of migrations of other databases.
    static let chance: Set<String> = ["hash", "salt", "chatMigrations", "agentMigrations"]
    /// Words of the official program for what went wrong inside it: where one stands here there is one, in other words.
    static let inside: Set<String> = ["errContext", "message"]
    /// Settings that the official program shows as they were when the profile was made active, ours as they are.
    static let settings: Set<String> = ["sendRcptsContacts", "autoAcceptMemberContacts"]
    /// What agents know of their queues changes while they tell of it.
    static let queues: Set<String> = ["rcvQueuesInfo", "sndQueuesInfo", "subStatus"]
    /// How far a message has come depends on who was faster.
    static let progress: Set<String> = ["sndNew", "sndSent", "sndRcvd"]

    /// Versions of the chat protocol. The newest one of the recorded clients, of 6.5, corresponds to the newest one here.
    static let versions: Set<String> = ["maxVersion", "connChatVersion"]
    private static let recordedVersion: Int64 = 17

    private static let notCompared = times.union(chance).union(settings).union(queues)

    let peer: String
    var correspondence: Correspondence
    private(set) var differences: [String] = []

    init(_ peer: String, _ correspondence: Correspondence) {
        self.peer = peer
        self.correspondence = correspondence
    }

    mutating func compare(_ expected: JSONValue, _ actual: JSONValue, at path: String = "", kind: Correspondence.Kind? = nil) {
        switch (expected, actual) {
        case (.object(let expected), .object(let actual)):
            if path.hasSuffix(".itemStatus"), isProgress(expected["type"]), isProgress(actual["type"]) { return }
            for key in expected.keys where actual[key] == nil { differences.append("\(path): no \(key) (official: \(brief(expected[key])))") }
            for key in actual.keys where expected[key] == nil {
                differences.append("\(path): \(key) = \(brief(actual[key])), which the official core does not have")
            }
            for (key, value) in expected.members where !Self.notCompared.contains(key) {
                guard let other = actual[key] else { continue }
                // What was counted depends on how often what failed was tried again.
                if key.hasPrefix("_"), case .number = value, case .number = other { continue }
                if Self.versions.contains(key), value.intValue == Self.recordedVersion, other.intValue == Int64(ChatVersions.supported.max) { continue }
                if Self.inside.contains(key), value.stringValue != nil, other.stringValue != nil { continue }
                compare(value, other, at: "\(path).\(key)", kind: Correspondence.members[key])
            }
        case (.array(let expected), .array(let actual)):
            if expected.count != actual.count { differences.append("\(path): \(actual.count) elements instead of \(expected.count)") }
            for (index, pair) in zip(expected, actual).enumerated() { compare(pair.0, pair.1, at: "\(path)[\(index)]", kind: kind) }
        default: compareValues(expected, actual, at: path, kind: kind)
        }
    }

    private mutating func compareValues(_ expected: JSONValue, _ actual: JSONValue, at path: String, kind: Correspondence.Kind?) {
        let recorded = expected.stringValue ?? expected.text
        let own = actual.stringValue ?? actual.text
        guard let kind, kind != .name || recorded != own && Correspondence.isRandomName(recorded) && Correspondence.isRandomName(own) else {
            guard expected.text != actual.text, correspondence.translated(recorded) != own else { return }
            differences.append("\(path): \(brief(actual)) instead of \(brief(expected))")
            return
        }
        if let why = correspondence.pair(recorded, own, kind, at: peer) { differences.append("\(path): \(why)") }
    }

    private func isProgress(_ word: JSONValue?) -> Bool { word?.stringValue.map(Self.progress.contains) ?? false }

    private func brief(_ value: JSONValue?) -> String { String(value?.text.prefix(120) ?? "nothing") }
}
