import Testing
import TranscriptSupport

/// A recorded conversation, and what of it is left out here.
struct RecordedConversation: Sendable, CustomTestStringConvertible {
    /// How lines are left out.
    enum Omission: Sendable {
        /// Their commands are not sent, their events not waited for.
        case notRun
        /// The commands are sent and the answers not compared.
        case notCompared
        /// As many events must come, and are not compared.
        case eventsNotCompared
    }

    struct LeftOut: Sendable {
        var lines: ClosedRange<Int>
        var how: Omission
        var why: String
    }

    var name: String
    var peers: [String]
    var leftOut: [LeftOut] = []
    /// Lines that are run behind later ones.
    private var postponed: [(line: Int, behind: Int)] = []
    /// Kinds of event that come some time, whatever else happens.
    var uncounted: Set<String> = []
    /// Whether events that were not recorded are faults.
    var comparesToTheEnd = true

    var testDescription: String { name }

    func leavesOut(_ line: Int, _ how: Omission) -> Bool { leftOut.contains { $0.how == how && $0.lines.contains(line) } }

    /// A command whose effect on the other side was recorded behind that line: here it could come before.
    private mutating func postpone(_ line: Int, behind: Int) { postponed.append((line, behind)) }

    /// The lines in the order in which they are run.
    func inOrder(_ lines: [Transcript.Line]) -> [Transcript.Line] {
        var lines = lines
        for (number, other) in postponed {
            guard let from = lines.firstIndex(where: { $0.number == number }) else { continue }
            let line = lines.remove(at: from)
            lines.insert(line, at: lines.firstIndex { $0.number > other } ?? lines.endIndex)
        }
        return lines
    }

    private mutating func leaveOut(_ lines: ClosedRange<Int>..., how: Omission, _ why: String) {
        leftOut += lines.map { LeftOut(lines: $0, how: how, why: why) }
    }

    static let profiles = RecordedConversation(name: "01_profiles", peers: ["alice", "bob"])

    static let invitation: RecordedConversation = {
        var it = RecordedConversation(name: "02_invitation", peers: ["alice", "bob", "cath"])
        it.leaveOut(57...57, how: .notCompared, "The agent does not tell the queue's own ids.")
        it.leaveOut(194...194, how: .notCompared, "The event shows the profile that the contact belonged to, ours the one it belongs to.")
        return it
    }()

    static let address: RecordedConversation = {
        var it = RecordedConversation(name: "03_address", peers: ["alice", "bob", "cath", "dan"])
        it.leaveOut(121...155, how: .notRun, "Members of business chats have random ids and names: the conformance runs compare them.")
        return it
    }()

    static let directMessages: RecordedConversation = {
        var it = RecordedConversation(name: "04_direct_messages", peers: ["alice", "bob", "cath"])
        it.leaveOut(532...532, how: .notRun, "The official core complains of a connection that it has just deleted itself.")
        it.leaveOut(
            155...155, 165...165, 218...218, 219...219, 221...221, 223...223, how: .notCompared,
            "Depends on what the other side does meanwhile.")
        it.leaveOut(218...223, how: .eventsNotCompared, "Both sides change their preferences at once.")
        it.leaveOut(
            417...417, 423...423, 425...425, 427...427, 478...478, 480...480, 482...484, how: .notCompared,
            "Pages of items whose order depends on which side's preferences came first.")
        // Bob looks at his chats while this message is on its way to him.
        it.postpone(377, behind: 391)
        it.uncounted = ["agentConnsDeleted"]
        return it
    }()

    static let errors: RecordedConversation = {
        var it = RecordedConversation(name: "10_errors", peers: ["alice", "bob", "cath"])
        it.leaveOut(93...101, how: .notRun, "Frames of the socket: the bridge's, not the engine's.")
        it.leaveOut(414...10_000, how: .notRun, "Groups have random ids: the conformance runs compare them.")
        it.leaveOut(157...157, how: .notCompared, "A contact that is not there is named; the official core tells of a constraint of its database.")
        it.leaveOut(320...356, how: .eventsNotCompared, "A core that connects to itself.")
        it.leaveOut(327...327, 406...406, 410...410, 412...412, how: .notCompared, "Routers that are not there.")
        it.leaveOut(400...400, 404...404, how: .notCompared, "Version 7.0.2 takes names without a sign, and earlier ones refuse them.")
        it.comparesToTheEnd = false
        return it
    }()

    static let settings: RecordedConversation = {
        var it = RecordedConversation(name: "08_settings", peers: ["alice", "bob", "carol"])
        it.leaveOut(
            14...14, 17...18, 23...23, 141...141, 176...176, 257...257, 276...281, 301...301, how: .notRun, "Groups come later.")
        it.leaveOut(180...180, 261...261, how: .notCompared, "The list has a group in it.")
        it.leaveOut(33...33, 213...213, how: .notRun, "Files come later.")
        it.leaveOut(318...318, 374...374, how: .notCompared, "What has no effect yet is refused.")
        it.leaveOut(35...35, how: .notCompared, "Routers that are not there.")
        it.leaveOut(222...222, how: .notRun, "The official agent complains of a command that it has cut off itself.")
        it.leaveOut(342...347, how: .notRun, "What works inside the agent is another matter.")
        it.leaveOut(364...368, how: .notRun, "The databases are others.")
        return it
    }()

    static let all = [profiles, invitation, address, directMessages, settings, errors]
}
