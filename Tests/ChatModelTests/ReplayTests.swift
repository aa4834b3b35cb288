import ChatAPI
import ChatProtocol
import Testing
import TranscriptSupport

@testable import ChatModel

/// The model of a recorded client says the same as the client when it is asked.
@Suite struct ReplayTests {
    /// How many chats in lists, and how many pages, are compared at least.
    private static let leastChats = ["02_invitation": 8, "04_direct_messages": 10, "06a_groups": 4, "08_settings": 2]
    private static let leastPages = ["04_direct_messages": 16, "06a_groups": 6, "06b_knocking_support": 2, "08_settings": 3]

    @Test("lists of chats are as the client told them", arguments: Transcript.names)
    func chatLists(name: String) throws {
        var compared = 0
        try Replay(name).run { client, command, response, line in
            guard case .chats(.list(let user, let pending, .last(let count), .all)) = command,
                case .apiChats(_, let answered) = response, answered.count < count
            else { return }
            let known = client.chats(of: user)
            let answeredByID = Dictionary(uniqueKeysWithValues: answered.compactMap { chat in chat.chatInfo.reference.map { ($0, chat) } })
            for chat in known {
                guard let reference = chat.chatInfo.reference else { continue }
                guard let answer = answeredByID[reference] else {
                    if reference.type != .contactConnection || pending {
                        Issue.record("\(name):\(line): \(reference) is known but not listed")
                    }
                    continue
                }
                compared += 1
                var expected = answer.json.comparable
                // Deleting the last item takes the preview away; the core does not tell the one before.
                if chat.chatItems.isEmpty { expected[key: "chatItems"] = [] }
                if let difference = difference(expected, chat.json.comparable) {
                    Issue.record("\(name):\(line): \(reference) \(difference)")
                }
            }
            let order = answered.compactMap(\.chatInfo.reference).filter { reference in known.contains { $0.chatInfo.reference == reference } }
            let knownOrder = known.compactMap(\.chatInfo.reference).filter { answeredByID[$0] != nil }
            #expect(order == knownOrder, "\(name):\(line)")
            for reference in answeredByID.keys where !known.contains(where: { $0.chatInfo.reference == reference }) {
                guard client.users[user]?.isLoaded == true else { continue }
                Issue.record("\(name):\(line): \(reference) is listed but not known")
            }
        }
        #expect(compared >= Self.leastChats[name] ?? 0, "chats are compared")
    }
}

extension ReplayTests {
    @Test("pages of chats are as the client told them", arguments: Transcript.names)
    func pages(name: String) throws {
        var compared = 0
        try Replay(name, opening: true).run { client, command, response, line in
            guard case .chats(.page(let reference, nil, nil, let pagination, nil)) = command,
                case .apiChat(let user, let chat, _) = response,
                let window = client.items(ItemsKey(reference), of: user.userID)
            else { return }
            let expected = JSONValue.array(chat.chatItems.map(\.json.comparable))
            let known = JSONValue.array(pagination.page(of: window.items).map(\.json.comparable))
            if let difference = difference(expected, known) { Issue.record("\(name):\(line): \(reference) \(difference)") }
            compared += 1
        }
        #expect(compared >= Self.leastPages[name] ?? 0, "pages are compared")
    }
}

extension ChatPagination {
    /// The page of a chat whose items are all known.
    func page(of items: [ChatItem]) -> [ChatItem] {
        func index(_ id: ChatItemID) -> Int? { items.firstIndex { $0.id == id } }
        switch self {
        case .last(let count): return items.suffix(count)
        case .after(let id, let count): return index(id).map { Array(items[($0 + 1)...].prefix(count)) } ?? []
        case .before(let id, let count): return index(id).map { items[..<$0].suffix(count) } ?? []
        case .around(let id, let count):
            return index(id).map { items[..<$0].suffix(count) + items[$0...].prefix(count + 1) } ?? []
        case .initial(let count):
            guard let unread = items.firstIndex(where: \.isUnread) else { return items.suffix(count) }
            return items[..<unread].suffix(count) + items[unread...].prefix(count + 1)
        }
    }
}

/// Feeds a recorded conversation to one model per client.
struct Replay {
    let transcript: Transcript
    let isOpening: Bool
    let keepsMembers: Bool

    /// - Parameters:
    ///   - isOpening: Whether the windows of all chats are opened while the chats are empty.
    ///   - keepsMembers: Whether the members of all groups are kept from the beginning.
    init(_ name: String, opening isOpening: Bool = false, keepingMembers keepsMembers: Bool = false) throws {
        transcript = try Transcript.load(name)
        self.isOpening = isOpening
        self.keepsMembers = keepsMembers
    }

    /// Keeps the members of groups from when the profile is known.
    private func keepMembers(of user: User?, in client: inout ChatModelState) {
        guard keepsMembers, let user else { return }
        for id: Int64 in 1...9 { client.keepMembers(of: GroupID(id), user: user.userID) }
    }

    /// A client that has just begun to know a profile.
    private func open(_ user: User, in client: inout ChatModelState) {
        guard isOpening, client.users[user.userID] == nil, client.isRunning == nil else { return }
        let empty = Chat(chatInfo: .other("", .null), chatItems: [])
        let references = (1...9).flatMap { (id: Int64) -> [ChatReference] in
            [.direct(ContactID(id)), .group(GroupID(id)), .local(NoteFolderID(id)), .group(GroupID(id), scope: .memberSupport(nil))]
        }
        for reference in references + (1...9).map({ (id: Int64) in .group(1, scope: .memberSupport(GroupMemberID(id))) }) {
            client.apply(
                .apiChat(user: user, chat: empty, navigation: nil), to: .chats(.page(reference, pagination: .last(1))))
        }
    }

    private func close(_ chat: Chat, of user: User, in client: inout ChatModelState) {
        if let reference = chat.chatInfo.reference { client.close(ItemsKey(reference), of: user.userID) }
    }

    /// Calls `check` for every answer, before the model takes it in.
    func run(_ check: (ChatModelState, ChatCommand, ChatResponse, _ line: Int) throws -> Void) throws {
        var clients: [String: ChatModelState] = [:]
        var commands: [String: ChatCommand] = [:]
        for line in transcript.lines {
            let id = "\(line.peer) \(line.correlationID ?? "")"
            switch line.direction {
            case .note: break
            case .command:
                guard let text = line.body.stringValue else { continue }
                commands[id] = try? ChatCommand(parsing: text)
            case .event:
                let event = try ChatEvent(json: line.body)
                var client = clients[line.peer] ?? ChatModelState()
                if let user = event.user { open(user, in: &client) }
                keepMembers(of: event.user, in: &client)
                client.apply(event)
                // The items that such a chat begins with are not reported.
                switch event {
                case .receivedContactRequest(let user, _, let chat?): close(chat, of: user, in: &client)
                case .acceptingBusinessRequest(let user, let group):
                    close(Chat(chatInfo: .group(groupInfo: group, scope: nil), chatItems: []), of: user, in: &client)
                default: break
                }
                clients[line.peer] = client
            case .response:
                guard case .response(let response) = try ChatResult(json: line.body), let command = commands[id] else { continue }
                var client = clients[line.peer] ?? ChatModelState()
                if let user = response.user { open(user, in: &client) }
                keepMembers(of: response.user, in: &client)
                try check(client, command, response, line.number)
                client.apply(response, to: command)
                if case .newPreparedChat(let user, let chat) = response { close(chat, of: user, in: &client) }
                clients[line.peer] = client
            }
        }
    }
}

extension JSONValue {
    /// The value without what the core changes in its database and tells nobody.
    var comparable: JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map(\.comparable))
        case .object(let object):
            var members: [(String, JSONValue)] = []
            for (key, value) in object.members {
                switch key {
                case "updatedAt", "chatTs", "contactConnInitiated", "itemSharedMsgId", "deleteAt", "deletedTs": continue
                case "chatDir", "itemDeleted": members.append((key, value.withoutMember))
                default: members.append((key, value.comparable))
                }
            }
            return .object(JSONObject(members))
        default: return self
        }
    }

    /// Who wrote an item, without the state that the member was in.
    private var withoutMember: JSONValue {
        guard var object = objectValue, let member = object["groupMember"] ?? object["byGroupMember"] else { return comparable }
        object["byGroupMember"] = nil
        object["groupMember"] = member["memberId"]
        return JSONValue.object(object).comparable
    }

    fileprivate subscript(key key: String) -> JSONValue? {
        get { objectValue?[key] }
        set {
            guard var object = objectValue else { return }
            object[key] = newValue
            self = .object(object)
        }
    }
}
