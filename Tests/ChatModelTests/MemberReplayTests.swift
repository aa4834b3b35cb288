import ChatAPI
import ChatProtocol
import Testing
import TranscriptSupport

@testable import ChatModel

/// The members that the model of a recorded client knows are those that the client tells when it is asked.
@Suite struct MemberReplayTests {
    /// The least number of members in answers that are compared.
    private static let leastMembers = ["06a_groups": 20, "06b_knocking_support": 9, "07_channel": 8]

    @Test("members of groups are as the client told them", arguments: ["03_address", "06a_groups", "06b_knocking_support", "07_channel"])
    func members(name: String) throws {
        var compared = 0
        try Replay(name, keepingMembers: true).run { client, _, response, line in
            let answered: [GroupMember], user: UserID, group: GroupID
            switch response {
            case .groupMembers(let asker, let answer):
                (answered, user, group) = (answer.members, asker.userID, answer.groupInfo.groupID)
                let known = try #require(client.members(of: group, user: user), "\(name):\(line)")
                for member in known.all where !answered.contains(where: { $0.groupMemberID == member.groupMemberID }) && !member.status.isRemoved {
                    Issue.record("\(name):\(line): \(member.localDisplayName) is known but not told")
                }
                for member in answered where known.isLoaded && known[member.groupMemberID] == nil {
                    Issue.record("\(name):\(line): \(member.localDisplayName) is told but not known")
                }
            case .memberSupportChats(let asker, let info, let members):
                (answered, user, group) = (members, asker.userID, info.groupID)
                let known = client.members(of: group, user: user)?.withSupportChat.map(\.groupMemberID)
                #expect(known == members.map(\.groupMemberID), "\(name):\(line)")
            default: return
            }
            let known = try #require(client.members(of: group, user: user), "\(name):\(line)")
            for answer in answered {
                guard let member = known[answer.groupMemberID] else { continue }
                compared += 1
                #expect(member.comparable == answer.comparable, "\(name):\(line) \(answer.localDisplayName)")
                #expect(known[answer.memberID] == member)
            }
        }
        #expect(compared >= Self.leastMembers[name] ?? 0, "members are compared")
    }

    @Test("support chats are lists of items of their own, and the counts of members and of the group follow them")
    func supportChats() throws {
        var readings: [String] = []
        try Replay("06b_knocking_support", opening: true, keepingMembers: true).run { client, command, response, line in
            guard case .chats(.page(let reference, nil, nil, .last, nil)) = command, let scope = reference.scope,
                case .apiChat(let user, let chat, _) = response
            else { return }
            let group = GroupID(reference.id)
            let window = try #require(client.items(ItemsKey(reference), of: user.userID), "\(line)")
            #expect(window.items.map(\.id) == chat.chatItems.map(\.id), "\(line)")
            let whole = client.chat(.group(group), of: user.userID)
            switch scope {
            case .memberSupport(let id?):
                let known = client.members(of: group, user: user.userID)?[id]?.supportChat
                let told = try #require(chat.chatInfo.supportMember?.supportChat, "\(line)")
                #expect(known == told, "\(line)")
                #expect(whole?.chatInfo.groupInfo?.membersRequireAttention == 1, "\(line)")
                #expect(whole?.supportUnreadCount == 1, "\(line)")
                readings.append("moderator")
            case .memberSupport(nil):
                #expect(whole?.supportUnreadCount == chat.chatInfo.groupInfo?.membership.supportChat?.unread, "\(line)")
                readings.append("member")
            }
            #expect(whole?.chatStats.unreadCount == 0, "items of support chats do not count in the group: \(line)")
        }
        #expect(readings == ["moderator", "member"])
    }

    @Test("mentions of this profile are counted in the chat list")
    func mentions() throws {
        var mentions: [Int] = []
        try Replay("06a_groups").run { client, command, response, line in
            guard case .chats(.list) = command, case .apiChats(let user, let chats) = response else { return }
            for chat in chats where chat.chatInfo.chatType == .group {
                let known = try #require(chat.chatInfo.reference.flatMap { client.chat($0, of: user.userID) }, "\(line)")
                #expect(known.chatStats.unreadCount == chat.chatStats.unreadCount, "\(line)")
                #expect(known.chatStats.unreadMentions == chat.chatStats.unreadMentions, "\(line)")
                #expect(known.chatStats.reportsCount == chat.chatStats.reportsCount, "\(line)")
                if chat.chatStats.unreadMentions > 0 || chat.chatStats.reportsCount > 0 { mentions.append(line) }
            }
        }
        #expect(!mentions.isEmpty)
    }
}

extension ChatInfo {
    /// The member whose support chat this is.
    fileprivate var supportMember: GroupMember? {
        if case .group(_, .memberSupport(let member)?) = self { member } else { nil }
    }
}

extension GroupMember {
    /// The member without times and connections, which the core changes and tells nobody.
    fileprivate var comparable: JSONValue {
        guard var object = json.comparable.objectValue else { return .null }
        object["activeConn"] = nil
        object["memberChatVRange"] = nil
        if let supportChat {
            object["supportChat"] = [
                "unread": .int(supportChat.unread), "attention": .int(supportChat.memberAttention), "mentions": .int(supportChat.mentions),
            ]
        }
        return .object(object)
    }
}
