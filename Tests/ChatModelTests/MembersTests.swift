import ChatAPI
import ChatProtocol
import Testing

@testable import ChatModel

/// Members of groups are kept from when they are asked for.
@Suite struct MembersTests {
    private let user = Samples.user()

    private func loaded(_ members: GroupMember...) -> ChatModelState {
        var state = ChatModelState()
        let group = Group(groupInfo: Samples.group(), members: members)
        state.apply(.groupMembers(user: user, group: group), to: .groups(.members(1)))
        return state
    }

    private func members(_ state: ChatModelState) -> GroupMembers? { state.members(of: 1, user: 1) }

    @Test("of a group that nobody asked for no members are kept")
    func unasked() {
        var state = ChatModelState()
        state.apply(.joinedGroupMember(user: user, groupInfo: Samples.group(), member: Samples.member(2)))
        #expect(members(state) == nil)
        #expect(state.chat(.group(1), of: 1) != nil)
    }

    @Test("members are found by both ids, and a change is told")
    func ids() {
        var state = loaded(Samples.member(2), Samples.member(3))
        let promoted = Samples.member(3, role: .admin)
        let event = ChatEvent.memberRole(
            user: user, groupInfo: Samples.group(), byMember: Samples.member(2), member: promoted, fromRole: .member, toRole: .admin, signature: nil)
        #expect(state.apply(event) == [.members(1, 1)])
        #expect(state.apply(event) == [], "the same again changes nothing")
        #expect(members(state)?[GroupMemberID(3)] == promoted)
        #expect(members(state)?[MemberID([3])] == promoted)
        #expect(members(state)?.all.map(\.groupMemberID) == [2, 3])
    }

    @Test("who was removed or left is no current member, and this profile is none of the others")
    func removed() {
        var state = loaded(Samples.member(2), Samples.member(3), Samples.member(4, status: .pendingReview))
        let group = Samples.group()
        state.apply(.leftMember(user: user, groupInfo: group, member: Samples.member(2, status: .left), signature: nil))
        state.apply(
            .deletedMember(
                user: user, groupInfo: group, byMember: group.membership, deletedMember: Samples.member(3, status: .removed), withMessages: false,
                signature: nil))
        #expect(members(state)?.current.isEmpty == true)
        #expect(members(state)?.pending.map(\.groupMemberID) == [4])
        #expect(members(state)?[GroupMemberID(3)]?.status == .removed)
        #expect(members(state)?[group.membership.groupMemberID] == nil)
    }

    @Test("an unknown member who is announced by another record replaces it")
    func announced() {
        var state = loaded(Samples.member(2))
        let unknown = Samples.member(5, status: .unknown), group = Samples.group()
        state.apply(.unknownMemberCreated(user: user, groupInfo: group, forwardedByMember: Samples.member(2), member: unknown))
        #expect(members(state)?[GroupMemberID(5)]?.status == .unknown)
        var announced = Samples.member(6, status: .announced)
        announced.memberID = unknown.memberID
        state.apply(
            .unknownMemberAnnounced(
                user: user, groupInfo: group, announcingMember: Samples.member(2), unknownMember: unknown, announcedMember: announced))
        #expect(members(state)?[GroupMemberID(5)] == nil)
        #expect(members(state)?[unknown.memberID] == announced)
    }

    @Test("counts of a support chat follow its items, not events that show the member as it was before")
    func supportCounts() {
        func chat(_ time: Int64, unread: Int, attention: Int) -> GroupSupportChat {
            GroupSupportChat(chatTimestamp: Samples.time(time), unread: unread, memberAttention: attention, mentions: 0)
        }
        let old = Samples.member(2, supportChat: chat(1, unread: 0, attention: 0)), now = Samples.member(2, supportChat: chat(5, unread: 2, attention: 1))
        var state = loaded(old)
        let scoped = ChatInfo.group(groupInfo: Samples.group(attention: 1), scope: .memberSupport(groupMember: now))
        state.apply(.newChatItems(user: user, chatItems: [ItemInChat(chatInfo: scoped, chatItem: Samples.item(9))]))
        #expect(members(state)?[GroupMemberID(2)]?.supportChat == now.supportChat)
        #expect(state.chat(.group(1), of: 1)?.supportUnreadCount == 1, "members that need attention, for a moderator")
        #expect(state.chat(.group(1), of: 1)?.chatStats.unreadCount == 0)
        var renamed = old
        renamed.localDisplayName = "ann"
        state.apply(.groupMemberUpdated(user: user, groupInfo: Samples.group(attention: 1), fromMember: old, toMember: renamed))
        #expect(members(state)?[GroupMemberID(2)]?.localDisplayName == "ann")
        #expect(members(state)?[GroupMemberID(2)]?.supportChat == now.supportChat)
        // Which of the two was by the member is not known, but no more can need attention than are unread.
        state.apply(
            .itemsReadForChat(user: user, chatInfo: .group(groupInfo: Samples.group(), scope: nil)),
            to: .chats(.markItemsRead(.group(1, scope: .memberSupport(2)), [8, 9])))
        #expect(members(state)?[GroupMemberID(2)]?.supportChat?.unread == 0)
        #expect(members(state)?[GroupMemberID(2)]?.supportChat?.memberAttention == 0)
        state.apply(
            .memberSupportChatDeleted(user: user, groupInfo: Samples.group(), member: Samples.member(2)), to: .groups(.deleteMemberSupportChat(1, 2)))
        #expect(members(state)?.withSupportChat == [])
    }

    @Test("a member who is a contact is named as the contact is")
    func contacts() {
        var state = loaded(Samples.member(2, contact: 4))
        var contact = Samples.contact(4, chatTimestamp: 1)
        contact.profile = LocalProfile(profileID: 102, displayName: "member2")
        state.apply(Samples.message(1, in: contact))
        contact.localDisplayName = "bobby"
        contact.profile.displayName = "Bobby"
        state.apply(.contactUpdated(user: user, fromContact: contact, toContact: contact))
        #expect(members(state)?[GroupMemberID(2)]?.localDisplayName == "bobby")
        #expect(members(state)?[GroupMemberID(2)]?.profile.displayName == "Bobby")
    }

    @Test("what is told while members are loaded is not lost")
    func loading() {
        var state = ChatModelState()
        state.apply(.joinedGroupMember(user: user, groupInfo: Samples.group(), member: Samples.member(2)))
        state.keepMembers(of: 1, user: 1)
        state.apply(.leftMember(user: user, groupInfo: Samples.group(), member: Samples.member(2, status: .left), signature: nil))
        #expect(members(state)?.isLoaded == false)
        let group = Group(groupInfo: Samples.group(), members: [Samples.member(2), Samples.member(3)])
        state.apply(.groupMembers(user: user, group: group), to: .groups(.members(1)))
        #expect(members(state)?.isLoaded == true)
        #expect(members(state)?.current.map(\.groupMemberID) == [3])
        // What is loaded again is so anew.
        state.apply(.groupMembers(user: user, group: Group(groupInfo: Samples.group(), members: [Samples.member(2)])), to: .groups(.members(1)))
        #expect(members(state)?.all.map(\.status) == [.connected])
    }

    @Test("a group that is gone has no members")
    func gone() {
        var state = loaded(Samples.member(2))
        state.apply(.groupDeletedUser(user: user, groupInfo: Samples.group(), isSigned: false), to: .chats(.delete(.group(1))))
        #expect(members(state) == nil)
        state.apply(.joinedGroupMember(user: user, groupInfo: Samples.group(), member: Samples.member(2)))
        #expect(members(state) == nil)
    }

    @Test("settings of a member that a command changed are known")
    func settings() {
        var state = loaded(Samples.member(2))
        let changes = state.apply(
            .cmdOk(user: user), to: .groups(.setMemberSettings(1, 2, GroupMemberSettings(showsMessages: false))), as: 1)
        #expect(changes == [.members(1, 1)])
        #expect(members(state)?[GroupMemberID(2)]?.settings.showsMessages == false)
    }
}
