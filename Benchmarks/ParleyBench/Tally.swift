import ChatProtocol
import Synchronization

/// What is counted of a client's events.
final class Tally: Sendable {
    /// A text that came.
    struct Received: Sendable {
        let contact: Int64
        let item: Int64
        let text: String
    }

    private struct State {
        var received = 0
        /// Texts of this client that routers have.
        var sent = 0
        /// Posts of this client to groups that all members have confirmed.
        var confirmed = 0
        /// Contacts that are connected, by user, and not yet asked for.
        var contacts: [Int64: [Int64]] = [:]
        var connected = 0
        /// Connections with members of groups.
        var members = 0
        /// Groups and channels that a profile has joined.
        var joined = 0
        /// Relays of the channel that take subscribers.
        var activeRelays = 0
        /// Files that were received.
        var files = 0
        var onFile: (@Sendable (Int64) -> Void)?
        var waiters: [(isMet: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
        var onText: (@Sendable (Received) -> Void)?
    }

    private let state = Mutex(State())

    init(_ events: AsyncStream<JSONValue>) {
        Task { [weak self] in
            for await event in events { self?.note(event) }
        }
    }

    var connected: Int { state.withLock(\.connected) }
    var received: Int { state.withLock(\.received) }

    var sent: Int { state.withLock(\.sent) }
    var confirmed: Int { state.withLock(\.confirmed) }

    /// Has a text handled as soon as it comes.
    func answer(_ handler: @escaping @Sendable (Received) -> Void) { state.withLock { $0.onText = handler } }

    /// Files that were received.
    var files: Int { state.withLock(\.files) }

    /// Has a file handled, by its id, as soon as its description is complete.
    func receiveFiles(_ handler: @escaping @Sendable (Int64) -> Void) { state.withLock { $0.onFile = handler } }

    /// Returns when so many files were received in all.
    func waitForFiles(_ count: Int) async { await wait { $0.files >= count } }

    /// Returns when so many texts came in all.
    func waitForReceived(_ count: Int) async { await wait { $0.received >= count } }

    /// Returns when routers had so many texts in all.
    func waitForSent(_ count: Int) async { await wait { $0.sent >= count } }

    /// Returns when all members had confirmed so many posts in all.
    func waitForConfirmed(_ count: Int) async { await wait { $0.confirmed >= count } }

    /// Returns when so many contacts were connected in all.
    func waitForConnected(_ count: Int) async { await wait { $0.connected >= count } }

    /// Returns when so many connections with members of groups were complete in all.
    func waitForMembers(_ count: Int) async { await wait { $0.members >= count } }

    /// Returns when so many groups and channels were joined in all.
    func waitForJoined(_ count: Int) async { await wait { $0.joined >= count } }

    /// Returns when so many relays of a channel take subscribers.
    func waitForActiveRelays(_ count: Int) async { await wait { $0.activeRelays >= count } }

    /// Waits for a contact that is connected to a profile, and takes it.
    func contact(of user: Int64) async throws -> Int64 {
        await wait { $0.contacts[user]?.isEmpty == false }
        return state.withLock { $0.contacts[user]?.removeFirst() } ?? 0
    }

    private func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if isMet(state) { return true }
                state.waiters.append((isMet, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    private func note(_ event: JSONValue) {
        var texts: [Received] = []
        var described: Int64?
        let (woken, onText, onFile) = state.withLock { state in
            switch event["type"]?.stringValue {
            case "newChatItems":
                texts = (event["chatItems"]?.arrayValue ?? []).compactMap(Self.text)
                state.received += texts.count
            case "chatItemsStatusesUpdated":
                for item in event["chatItems"]?.arrayValue ?? [] {
                    let status = item["chatItem"]?["meta"]?["itemStatus"]
                    switch status?["type"]?.stringValue {
                    case "sndSent": state.sent += 1
                    case "sndRcvd" where status?["sndProgress"]?.stringValue == "complete": state.confirmed += 1
                    default: break
                    }
                }
            case "contactConnected":
                if let user = event["user"]?["userId"]?.intValue, let contact = event["contact"]?["contactId"]?.intValue {
                    state.contacts[user, default: []].append(contact)
                    state.connected += 1
                }
            case "rcvFileDescrReady": described = event["chatItem"]?["chatItem"]?["file"]?["fileId"]?.intValue
            case "rcvFileComplete": state.files += 1
            case "userJoinedGroup":
                state.members += 1
                state.joined += 1
            case "joinedGroupMember", "connectedToGroupMember": state.members += 1
            case "groupLinkDataUpdated":
                state.activeRelays = (event["groupRelays"]?.arrayValue ?? []).count { $0["relayStatus"]?.stringValue == "active" }
            default: break
            }
            var woken: [CheckedContinuation<Void, Never>] = []
            for index in state.waiters.indices.reversed() where state.waiters[index].isMet(state) {
                woken.append(state.waiters.remove(at: index).continuation)
            }
            return (woken, state.onText, state.onFile)
        }
        for continuation in woken { continuation.resume() }
        if let onText { texts.forEach(onText) }
        if let described { onFile?(described) }
    }

    /// The id of the contact, or of the group.
    private static func chat(of item: JSONValue) -> Int64? {
        item["chatInfo"]?["contact"]?["contactId"]?.intValue ?? item["chatInfo"]?["groupInfo"]?["groupId"]?.intValue
    }

    private static func text(_ item: JSONValue) -> Received? {
        guard let chatItem = item["chatItem"], chatItem["content"]?["type"]?.stringValue == "rcvMsgContent",
            let contact = chat(of: item), let id = chatItem["meta"]?["itemId"]?.intValue,
            let text = chatItem["meta"]?["itemText"]?.stringValue
        else { return nil }
        return Received(contact: contact, item: id, text: text)
    }
}
