import ChatAPI
import ChatProtocol
import Foundation
import Synchronization
import VectorSupport

@testable import Parley

extension ScriptedCore {
    private static let notFound = Result<ChatResponse, ChatCoreError>.failure(ChatCoreError(.store(error: .chatItemNotFound(itemID: 0))))

    /// A page of a group, as cores show it: by the time at which its messages were written. Comments are only in the pages of their posts.
    static func groupPage(
        _ chat: ChatReference, commentsOn post: ChatItemID?, _ page: ChatPagination, _ owner: User?, _ state: State
    ) -> Result<ChatResponse, ChatCoreError> {
        guard let owner, let info = info(of: chat, state) else { return notFound }
        let all = state.groupItems[chat] ?? [], comments = Dictionary(grouping: all.compactMap(\.meta.parentItemID)) { $0 }
        let sorted = all.filter { $0.meta.parentItemID == post }.map { item in
            var item = item
            item.meta.commentsTotal = comments[item.id]?.count ?? 0
            return item
        }.sorted { ($0.meta.itemTimestamp, $0.id) < ($1.meta.itemTimestamp, $1.id) }
        let items: [ChatItem]
        switch page {
        case .last(let count): items = sorted.suffix(count)
        case .before(let id, let count): items = sorted.prefix { $0.id != id }.suffix(count)
        case .after(let id, let count):
            guard let index = sorted.firstIndex(where: { $0.id == id }) else { return notFound }
            items = Array(sorted[(index + 1)...].prefix(count))
        case .around(let id, let count):
            guard let index = sorted.firstIndex(where: { $0.id == id }) else { return notFound }
            items = Array(sorted[max(0, index - count)...min(sorted.count - 1, index + count)])
        default: return notFound
        }
        return .success(.apiChat(user: owner, chat: Chat(chatInfo: info, chatItems: items), navigation: nil))
    }

    static func info(of chat: ChatReference, _ state: State) -> ChatInfo? {
        guard let group = state.groups.first(where: { $0.groupID == GroupID(chat.id) }) else { return nil }
        guard case .memberSupport(let id)? = chat.scope else { return .group(groupInfo: group, scope: nil) }
        return .group(groupInfo: group, scope: .memberSupport(groupMember: state.members.first { $0.groupMemberID == id }))
    }

    static func send(
        _ messages: [ComposedMessage], toGroup chat: ChatReference, _ owner: User?, _ state: inout State
    ) -> Result<ChatResponse, ChatCoreError> {
        guard let owner, let info = info(of: chat, state) else { return notFound }
        let sent = messages.map { message in
            state.lastID += 1
            return item(ChatItemID(state.lastID), .sentMessage(content: message.content), .groupSent, message.content.text)
        }
        state.groupItems[chat, default: []] += sent
        state.sentCounts[ContactID(chat.id), default: 0] += sent.count
        return .success(.newChatItems(user: owner, chatItems: sent.map { ItemInChat(chatInfo: info, chatItem: $0) }))
    }

    /// Marks messages as deleted by the bot.
    static func moderate(_ items: [ChatItemID], in id: GroupID, _ owner: User?, _ state: inout State) -> Result<ChatResponse, ChatCoreError> {
        guard let owner, let group = state.groups.first(where: { $0.groupID == id }) else { return notFound }
        let chat = ChatReference.group(id)
        for index in (state.groupItems[chat] ?? []).indices where items.contains(state.groupItems[chat]?[index].id ?? 0) {
            state.groupItems[chat]?[index].meta.deleted = .moderated(deletedAt: time, byMember: group.membership)
        }
        return .success(.cmdOk(user: owner))
    }

    static func answer(_ command: GroupCommand, _ owner: User?, _ state: inout State) -> Result<ChatResponse, ChatCoreError> {
        func group(_ id: GroupID) -> GroupInfo? { state.groups.first { $0.groupID == id } }
        guard let owner else { return notFound }
        switch command {
        case .create(_, _, let profile):
            guard var group = try? Self.group(named: profile.displayName, id: GroupID(Int64(state.groups.count + 50))) else { return notFound }
            group.groupProfile = profile
            state.groups.append(group)
            return .success(.groupCreated(user: owner, groupInfo: group))
        case .updateProfile(let id, let profile):
            guard let index = state.groups.firstIndex(where: { $0.groupID == id }) else { return notFound }
            let old = state.groups[index]
            state.groups[index].groupProfile = profile
            return .success(.groupUpdated(user: owner, fromGroup: old, toGroup: state.groups[index], member: nil, isSigned: false))
        case .link(let id):
            guard let group = group(id), let link = state.groupLinks[id] else {
                return .failure(ChatCoreError(.store(error: .groupLinkNotFound(groupInfo: group(id) ?? state.groups[0]))))
            }
            return .success(.groupLink(user: owner, groupInfo: group, groupLink: link))
        case .createLink(let id, let role), .setLinkRole(let id, let role):
            guard let group = group(id) else { return notFound }
            var link = groupLink(of: id, role)
            if let known = state.groupLinks[id] {
                if case .createLink = command { return .failure(ChatCoreError(.store(error: .duplicateGroupLink(groupInfo: group)))) }
                link.joinerAdmission = known.joinerAdmission
            }
            state.groupLinks[id] = link
            if case .createLink = command { return .success(.groupLinkCreated(user: owner, groupInfo: group, groupLink: link)) }
            return .success(.groupLink(user: owner, groupInfo: group, groupLink: link))
        case .setLinkAdmission(let id, let admission):
            state.groupLinks[id]?.joinerAdmission = admission
            return .success(.cmdOk(user: owner))
        case .deleteLink(let id):
            state.groupLinks[id] = nil
            return .success(.cmdOk(user: owner))
        case .relays(let id):
            guard let group = group(id) else { return notFound }
            return .success(.groupRelays(user: owner, groupInfo: group, groupRelays: []))
        case .addRelays(let id, _):
            guard let group = group(id) else { return notFound }
            return .success(.groupRelaysAdded(user: owner, groupInfo: group, groupLink: groupLink(of: id, .observer), groupRelays: []))
        case .memberInfo(let id, let member):
            guard let group = group(id), let found = state.members.first(where: { $0.groupID == id && $0.groupMemberID == member }) else { return notFound }
            return .success(.groupMemberInfo(user: owner, groupInfo: group, member: found, connectionStats: nil))
        case .blockForAll(_, _, true) where !state.blockFailures.isEmpty: return .failure(state.blockFailures.removeFirst())
        case .blockForAll(_, _, false) where !state.unblockFailures.isEmpty: return .failure(state.unblockFailures.removeFirst())
        case .list: return .success(.groupsList(user: owner, groups: state.groups))
        case .members(let id):
            guard let group = group(id) else { return notFound }
            return .success(.groupMembers(user: owner, group: Group(groupInfo: group, members: state.members.filter { $0.groupID == id })))
        default: return .success(.cmdOk(user: owner))
        }
    }

    // MARK: What happens

    /// A group of the bot and a member of it are there; nothing is announced.
    func addGroup(
        _ id: GroupID = 7, name: String = "team", role: GroupMemberRole = .owner, _ change: (inout GroupInfo) -> Void = { _ in }
    ) throws -> (group: GroupInfo, bob: GroupMember) {
        var group = try Self.group(named: name, id: id)
        group.membership.role = role
        change(&group)
        var bob = try Self.recordedMember.get()
        bob.groupID = id
        state.withLock { state in
            state.groups.append(group)
            state.members.append(bob)
        }
        return (group, bob)
    }

    /// A channel that the bot subscribes to and its relay are there; nothing is announced.
    ///
    /// - Parameters:
    ///   - subscribed: when the bot asked to subscribe, in seconds since 1970.
    ///   - connected: when its membership last changed.
    func addChannel(subscribed: Int64, connected: Int64) throws -> (channel: GroupInfo, relay: GroupMember) {
        let (channel, relay) = try addGroup(9, name: "news", role: .observer) { channel in
            channel.groupProfile.publicGroup = PublicGroupProfile(
                groupType: .channel, groupLink: "https://simplex.chat/c#news", publicGroupID: Base64URLBytes([9]))
            channel.membership.status = .connected
            channel.membership.createdAt = UTCTimestamp(seconds: subscribed)
            channel.membership.updatedAt = UTCTimestamp(seconds: connected)
        }
        return (channel, relay)
    }

    /// An item of a group is stored.
    @discardableResult
    func receive(
        _ content: ItemContent, from member: GroupMember, in info: ChatInfo, text: String = "", announcing: Bool = true,
        _ change: (inout ChatItem) -> Void = { _ in }
    ) -> ChatItemID {
        let (item, owner) = state.withLock { state in
            state.lastID += 1
            var item = Self.item(ChatItemID(state.lastID), content, .groupReceived(member: member), text)
            change(&item)
            if let chat = info.reference { state.groupItems[chat, default: []].append(item) }
            return (item, state.users.first { $0.userID == 1 })
        }
        if announcing, let owner { hub.publish(.newChatItems(user: owner, chatItems: [ItemInChat(chatInfo: info, chatItem: item)])) }
        return item.id
    }

    /// A message in a group is stored.
    @discardableResult
    func receive(
        _ text: String, from member: GroupMember, in group: GroupInfo, announcing: Bool = true, _ change: (inout ChatItem) -> Void = { _ in }
    ) -> ChatItemID {
        receive(
            .receivedMessage(content: .text(text)), from: member, in: .group(groupInfo: group, scope: nil), text: text, announcing: announcing, change)
    }

    /// The texts that were sent to a group or a support chat in it, in order.
    func sent(to chat: ChatReference) -> [String] {
        state.withLock { ($0.groupItems[chat] ?? []).filter(\.direction.isSent).map(\.meta.text) }
    }

    /// The commands about groups, as text, and those that moderate.
    var groupCommands: [String] {
        state.withLock { state in
            state.commands.compactMap { command in
                switch command {
                case .groups, .messages(.moderate), .messages(.deleteReports), .messages(.forward): command.commandString
                default: nil
                }
            }
        }
    }

    // MARK: Values

    static func group(named name: String, id: GroupID) throws -> GroupInfo {
        var group = try recordedGroup.get()
        group.groupID = id
        group.localDisplayName = name
        group.groupProfile.displayName = name
        group.membership.groupID = id
        group.membership.updatedAt = time
        return group
    }

    private static func groupLink(of id: GroupID, _ role: GroupMemberRole) -> GroupLink {
        GroupLink(
            userContactLinkID: 9, connectionLink: CreatedConnectionLink(fullLink: "simplex:/contact#/g\(id)", shortLink: "https://simplex.chat/g#\(id)"),
            groupLinkID: GroupLinkID([1, 2, 3]), acceptMemberRole: role)
    }

    private static let recordedGroup: Result<GroupInfo, any Error> = Result { try recorded("groupInfo") }
    static let recordedMember: Result<GroupMember, any Error> = Result { try recorded("member") }

    private static func recorded<Value: JSONObjectConvertible>(_ key: String) throws -> Value {
        let file = try String(contentsOf: Vectors.folder.appendingPathComponent("api/06a_groups.jsonl"), encoding: .utf8)
        for line in file.split(separator: "\n") where line.contains("\"joinedGroupMember\"") {
            let body = try JSONObject(json: try JSONValue(parsing: String(line))).required("body") as JSONObject
            return try body.required(key)
        }
        throw VectorError(description: "no joinedGroupMember in the recorded conversation")
    }
}
