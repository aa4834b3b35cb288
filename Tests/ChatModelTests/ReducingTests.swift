import ChatAPI
import ChatModel
import ChatProtocol
import Testing

/// Events and answers change what is known.
@Suite struct ReducingTests {
    private let user = Samples.user()
    private let bob = Samples.contact(4)

    private func state(_ events: ChatEvent...) -> ChatModelState {
        var state = ChatModelState()
        for event in events { state.apply(event) }
        return state
    }

    private func stats(_ state: ChatModelState) -> ChatStats? { state.chat(.direct(4), of: 1)?.chatStats }

    @Test("a received message is counted, shown as the preview and moves its chat up")
    func received() {
        let state = state(
            Samples.message(1, in: Samples.contact(5, chatTimestamp: 1)), Samples.message(2, in: Samples.contact(4, chatTimestamp: 2)))
        #expect(state.chats(of: 1).map(\.chatInfo.reference) == [.direct(4), .direct(5)])
        #expect(stats(state) == ChatStats(unreadCount: 1, minUnreadItemID: 2))
        #expect(state.chat(.direct(4), of: 1)?.chatItems.map(\.id) == [2])
        #expect(state.users[1]?.isLoaded == false)
    }

    @Test("a window of one kind of content leaves out comments")
    func commentsInFilteredWindows() {
        var comment = Samples.item(2)
        comment.meta.parentItemID = 1
        let texts = ItemsKey(.group(1), filter: .content(.text))
        #expect(texts.contains(Samples.item(1)))
        #expect(!texts.contains(comment))
    }

    @Test("what is told of subscriptions is known of the chat that the connection is of")
    func subscriptions() {
        let carol = Samples.contact(5, connection: 7)
        var state = state(Samples.message(1, in: carol), Samples.message(2, in: bob))
        #expect(state.subscription(of: .direct(5), user: 1) == nil)
        let changes = state.apply(.subscriptionStatus(server: "smp://router", status: .active, connections: ["c7", "c8"]))
        #expect(changes == [.subscription(1, .direct(5))])
        #expect(state.subscription(of: .direct(5), user: 1) == .active)
        #expect(state.subscription(of: .direct(4), user: 1) == nil, "it has no connection")
        #expect(state.apply(.subscriptionStatus(server: "smp://router", status: .active, connections: ["c7"])).isEmpty)
        state.apply(.subscriptionStatus(server: "smp://router", status: .pending, connections: ["c7"]))
        #expect(state.subscription(of: .direct(5), user: 1) == .pending)
        state.apply(.agentConnectionsDeleted(agentConnectionIDs: ["c7"]))
        #expect(state.subscriptions == ["c8": .active])
        state.apply(.chatSuspended)
        #expect(state.subscriptions.isEmpty)
    }

    @Test("an answer behind a later event takes nothing back of a group")
    func lateAnswerAboutGroup() {
        var early = Samples.group()
        (early.membership.status, early.membership.role, early.updatedAt) = (.accepted, .observer, Samples.time(1))
        var late = early
        (late.membership.status, late.membership.role) = (.connected, .moderator)
        (late.groupProfile.displayName, late.updatedAt) = ("club", Samples.time(2))
        // The time of the membership is that of a clock that was set back meanwhile.
        (early.membership.updatedAt, late.membership.updatedAt) = (Samples.time(9), Samples.time(8))
        var state = state(.userJoinedGroup(user: user, groupInfo: late, hostMember: Samples.member(2)))
        state.apply(.userAcceptedGroupSent(user: user, groupInfo: early, hostContact: nil), to: .groups(.join(1)), as: 1)
        let known = state.chat(.group(1), of: 1)?.chatInfo.groupInfo
        #expect(known?.membership.status == .connected && known?.groupProfile.displayName == "club")
        #expect(known?.membership.role == .moderator)
        // Later again, it counts.
        var last = late
        (last.membership.status, last.membership.updatedAt, last.updatedAt) = (.left, Samples.time(7), Samples.time(3))
        state.apply(.leftMemberUser(user: user, groupInfo: last), to: .groups(.leave(1)), as: 1)
        #expect(state.chat(.group(1), of: 1)?.chatInfo.groupInfo?.membership.status == .left)
    }

    @Test("an answer behind a later event takes nothing back of a contact")
    func lateAnswerAboutContact() {
        var early = Samples.contact(4, connection: 7)
        early.activeConnection?.status = .joined
        var late = Samples.contact(4, connection: 7)
        (late.profile.displayName, late.status, late.updatedAt) = ("Robert", .deleted, Samples.time(2))
        var state = state(.contactConnected(user: user, contact: late, customUserProfile: nil))
        state.apply(.startedConnectionToContact(user: user, contact: early, customUserProfile: nil), to: .contacts(.list(user: 1)), as: 1)
        let known = state.chat(.direct(4), of: 1)?.chatInfo.contact
        #expect(known?.activeConnection?.status == .ready && known?.profile.displayName == "Robert" && known?.status == .deleted)
        // Another connection counts as it is.
        early.activeConnection?.connectionID = 8
        state.apply(.startedConnectionToContact(user: user, contact: early, customUserProfile: nil), to: .contacts(.list(user: 1)), as: 1)
        #expect(state.chat(.direct(4), of: 1)?.chatInfo.contact?.activeConnection?.status == .joined)
    }

    @Test("the same event twice counts once")
    func twice() {
        let state = state(Samples.message(1, in: bob), Samples.message(1, in: bob), Samples.message(1, in: bob))
        #expect(stats(state)?.unreadCount == 1)
    }

    @Test("own messages do not count")
    func sent() {
        #expect(stats(state(Samples.message(1, in: bob, isReceived: false)))?.unreadCount == 0)
    }

    @Test("an answer that comes after the report of delivery does not take it back")
    func lateAnswer() {
        let sent = Samples.item(1, isReceived: false, status: .sent(progress: .complete))
        var state = state(.chatItemsStatusesUpdated(user: user, chatItems: [Samples.located(sent, in: bob)]))
        #expect(state.chat(.direct(4), of: 1)?.chatItems.isEmpty == true)
        state.apply(Samples.message(1, in: bob, isReceived: false))
        state.apply(.chatItemsStatusesUpdated(user: user, chatItems: [Samples.located(sent, in: bob)]))
        state.apply(
            .newChatItems(user: user, chatItems: [Samples.located(Samples.item(1, isReceived: false), in: bob)]),
            to: .messages(.send(to: .direct(4), [ComposedMessage(content: .text("text"))])))
        #expect(state.chat(.direct(4), of: 1)?.chatItems.first?.meta.status == .sent(progress: .complete))
    }

    @Test("an older state of an item does not replace a newer one")
    func older() {
        var state = state(Samples.message(1, in: bob))
        for (text, time) in [("edited twice", Int64(20)), ("edited once", 10)] {
            let item = Samples.item(1, text: text, updatedAt: time)
            state.apply(.chatItemUpdated(user: user, chatItem: Samples.located(item, in: bob)))
        }
        #expect(state.chat(.direct(4), of: 1)?.chatItems.first?.meta.text == "edited twice")
    }

    @Test("reading a chat, some of its items, or all chats is counted")
    func reading() {
        func read(_ command: ChatCommand, _ response: ChatResponse) -> ChatStats? {
            var state = state(
                Samples.message(1, in: bob), Samples.message(2, in: bob, mention: true), Samples.message(3, in: bob))
            state.apply(.activeUser(user: user), to: .users(.showActive))
            state.apply(response, to: command)
            return stats(state)
        }
        #expect(read(.chats(.markRead(.direct(4))), .cmdOk(user: user)) == ChatStats())
        #expect(read(.users(.markRead(user: 1)), .cmdOk(user: user)) == ChatStats())
        let some = read(
            .chats(.markItemsRead(.direct(4), [1])), .itemsReadForChat(user: user, chatInfo: .direct(contact: bob)))
        #expect(some?.unreadCount == 2 && some?.unreadMentions == 1)
        let all = read(
            .chats(.markItemsRead(.direct(4), [1, 2, 3])), .itemsReadForChat(user: user, chatInfo: .direct(contact: bob)))
        #expect(all?.unreadCount == 0 && all?.minUnreadItemID == 0)
    }

    @Test("the first unread item is found again when items are loaded")
    func firstUnread() {
        var state = state(Samples.message(1, in: bob))
        let items = [Samples.item(1)]
        state.apply(
            .apiChat(user: user, chat: Chat(chatInfo: .direct(contact: bob), chatItems: items), navigation: nil),
            to: .chats(.page(.direct(4), pagination: .last(10))))
        for id: Int64 in 2...4 { state.apply(Samples.message(ChatItemID(id), in: bob)) }
        #expect(stats(state)?.minUnreadItemID == 1)
        state.apply(
            .itemsReadForChat(user: user, chatInfo: .direct(contact: bob)), to: .chats(.markItemsRead(.direct(4), [1, 2])))
        #expect(stats(state) == ChatStats(unreadCount: 2, minUnreadItemID: 3))
        #expect(state.items(ItemsKey(.direct(4)), of: 1)?.items.map(\.isUnread) == [false, false, true, true])
    }

    @Test("deleting the last item brings back the one before, or asks for it")
    func deletion() {
        var state = state(Samples.message(1, in: bob), Samples.message(2, in: bob))
        func deletion(_ id: ChatItemID) -> ChatEvent {
            .chatItemsDeleted(
                user: user, deletions: [ChatItemDeletion(deletedChatItem: Samples.located(Samples.item(id), in: bob))],
                byUser: false, timed: false)
        }
        let changes = state.apply(deletion(2))
        #expect(changes.contains(.previewMissing(1, .direct(4))))
        #expect(stats(state)?.unreadCount == 1)
        #expect(state.chat(.direct(4), of: 1)?.chatItems == [])
        let page = Chat(chatInfo: .direct(contact: bob), chatItems: [Samples.item(1)])
        state.apply(.apiChat(user: user, chat: page, navigation: nil), to: .chats(.page(.direct(4), pagination: .last(1))))
        #expect(state.chat(.direct(4), of: 1)?.chatItems.map(\.id) == [1])
        state.apply(Samples.message(3, in: bob))
        #expect(!state.apply(deletion(3)).contains(.previewMissing(1, .direct(4))))
        #expect(state.chat(.direct(4), of: 1)?.chatItems.map(\.id) == [1])
        #expect(stats(state)?.unreadCount == 1)
    }

    @Test("an item that is only marked as deleted stays")
    func markedDeletion() {
        var state = state(Samples.message(1, in: bob))
        var marked = Samples.item(1, status: .receivedRead)
        marked.meta.deleted = .deleted(deletedAt: nil, chatType: .direct)
        state.apply(
            .chatItemsDeleted(
                user: user,
                deletions: [
                    ChatItemDeletion(
                        deletedChatItem: Samples.located(Samples.item(1), in: bob), toChatItem: Samples.located(marked, in: bob))
                ], byUser: false, timed: false))
        #expect(state.chat(.direct(4), of: 1)?.chatItems.first?.meta.deleted != nil)
        #expect(stats(state)?.unreadCount == 0)
    }

    @Test("what is reported of a deleted chat is ignored until the chat is listed again")
    func tombstone() {
        var state = state(Samples.message(1, in: bob))
        state.apply(.contactDeleted(user: user, contact: bob), to: .chats(.delete(.direct(4))))
        #expect(state.chats(of: 1).isEmpty)
        state.apply(Samples.message(2, in: bob))
        state.apply(.contactConnected(user: user, contact: bob, customUserProfile: nil))
        #expect(state.chats(of: 1).isEmpty)
        state.apply(
            .apiChats(user: user, chats: [Chat(chatInfo: .direct(contact: bob), chatItems: [])]), to: .chats(.list(user: 1)))
        #expect(state.chats(of: 1).count == 1)
        state.apply(Samples.message(3, in: bob))
        #expect(stats(state)?.unreadCount == 1)
    }

    @Test("deleting the conversation keeps the contact, deleting the contact may keep the conversation")
    func deletionModes() {
        for mode in [ChatDeleteMode.messages, .entity(notify: false)] {
            var state = state(Samples.message(1, in: bob))
            state.apply(.contactDeleted(user: user, contact: bob), to: .chats(.delete(.direct(4), mode: mode)))
            #expect(state.chats(of: 1).count == 1)
            #expect(state.chat(.direct(4), of: 1)?.chatItems.count == (mode == .messages ? 0 : 1))
        }
    }

    @Test("a link gives way to the contact that comes of it")
    func pendingConnection() {
        var state = ChatModelState()
        state.apply(
            .invitation(user: user, connectionLink: CreatedConnectionLink(fullLink: "l"), connection: Samples.pending(7)),
            to: .connections(.add(user: 1)))
        #expect(state.chats(of: 1).map(\.chatInfo.reference) == [.connection(7)])
        state.apply(.contactConnecting(user: user, contact: Samples.contact(4, connection: 7)))
        #expect(state.chats(of: 1).map(\.chatInfo.reference) == [.direct(4)])
    }

    @Test("profiles do not mix")
    func profiles() {
        let other = Samples.user(2, name: "work", isActive: false)
        var state = state(Samples.message(1, in: bob))
        state.apply(.newChatItems(user: other, chatItems: [Samples.located(Samples.item(9), in: Samples.contact(8))]))
        #expect(state.chats(of: 1).map(\.chatInfo.reference) == [.direct(4)])
        #expect(state.chats(of: 2).map(\.chatInfo.reference) == [.direct(8)])
        state.apply(.cmdOk(user: nil), to: .users(.delete(2, deleteQueues: true)))
        #expect(state.users.keys.sorted() == [1])
    }

    @Test("unread messages count as the notifications of the chat are set")
    func notifications() {
        func count(_ filter: NotificationFilter) -> Int {
            let contact = Samples.contact(4, notifications: filter)
            var state = state(Samples.message(1, in: contact), Samples.message(2, in: contact, mention: true))
            let chats = state.chats(of: 1)
            state.apply(.apiChats(user: user, chats: chats), to: .chats(.list(user: 1)))
            return state.totalUnreadCount
        }
        #expect(count(.all) == 2)
        #expect(count(.mentions) == 1)
        #expect(count(.none) == 0)
        #expect(count(NotificationFilter(rawValue: "new")) == 2)
    }

    @Test("until its chats are loaded a profile counts as the core said")
    func reportedCount() {
        var state = ChatModelState()
        state.apply(.usersList(users: [UserInfo(user: user, unreadCount: 5)]), to: .users(.list))
        #expect(state.totalUnreadCount == 5)
        state.apply(.apiChats(user: user, chats: []), to: .chats(.list(user: 1)))
        #expect(state.totalUnreadCount == 0)
    }

    @Test("a whole list replaces what was known, a part of one does not")
    func lists() {
        var state = state(Samples.message(1, in: bob), Samples.message(2, in: Samples.contact(5)))
        let chats = [Chat(chatInfo: .direct(contact: bob), chatItems: [])]
        state.apply(.apiChats(user: user, chats: chats), to: .chats(.list(user: 1, query: .search("bob"))))
        state.apply(.apiChats(user: user, chats: chats), to: .chats(.list(user: 1, pagination: .last(1))))
        #expect(state.chats(of: 1).count == 2)
        state.apply(.apiChats(user: user, chats: chats), to: .chats(.list(user: 1)))
        #expect(state.chats(of: 1).count == 1)
    }

    @Test("items of one kind have a window of their own")
    func contentWindows() {
        var state = state(Samples.message(1, in: bob))
        let empty = Chat(chatInfo: .direct(contact: bob), chatItems: [])
        state.apply(
            .apiChat(user: user, chat: empty, navigation: nil),
            to: .chats(.page(.direct(4), content: .link, pagination: .last(10))))
        state.apply(Samples.message(2, in: bob))
        #expect(state.items(ItemsKey(.direct(4), filter: .content(.link)), of: 1)?.items.isEmpty == true)
        state.apply(
            .apiChat(user: user, chat: empty, navigation: nil),
            to: .chats(.page(.direct(4), pagination: .last(10), search: "x")))
        #expect(state.items(ItemsKey(.direct(4)), of: 1) == nil, "what was searched for is no page")
    }

    @Test("comments touch neither the list nor the counts of a channel")
    func comments() {
        var state = state(Samples.message(1, in: bob))
        var comment = Samples.item(2)
        comment.meta.parentItemID = 1
        state.apply(.newChatItems(user: user, chatItems: [Samples.located(comment, in: bob)]))
        #expect(stats(state)?.unreadCount == 1)
        #expect(state.chat(.direct(4), of: 1)?.chatItems.map(\.id) == [1])
    }

    @Test("each open post has the comments on it, and its count follows them")
    func openPosts() {
        var state = state(Samples.message(1, in: bob))
        state.apply(Samples.message(2, in: bob))
        let empty = Chat(chatInfo: .direct(contact: bob), chatItems: [])
        let posts = Chat(chatInfo: .direct(contact: bob), chatItems: [Samples.item(1), Samples.item(2)])
        state.apply(.apiChat(user: user, chat: posts, navigation: nil), to: .chats(.page(.direct(4), pagination: .last(10))))
        for post: ChatItemID in [1, 2] {
            state.apply(
                .apiChat(user: user, chat: empty, navigation: nil), to: .chats(.page(.direct(4), commentsOn: post, pagination: .last(10))))
        }
        func comments(on post: ChatItemID) -> [ChatItemID]? {
            state.items(ItemsKey(.direct(4), filter: .comments(post)), of: 1)?.items.map(\.id)
        }
        func total(of post: ChatItemID) -> Int? { state.items(ItemsKey(.direct(4)), of: 1)?[post]?.meta.commentsTotal }
        for (id, post): (ChatItemID, ChatItemID) in [(3, 1), (4, 2), (5, 1)] {
            var comment = Samples.item(id)
            comment.meta.parentItemID = post
            state.apply(.newChatItems(user: user, chatItems: [Samples.located(comment, in: bob)]))
        }
        #expect(comments(on: 1) == [3, 5] && comments(on: 2) == [4])
        #expect(total(of: 1) == 2 && total(of: 2) == 1)
        #expect(state.items(ItemsKey(.direct(4)), of: 1)?.items.map(\.id) == [1, 2])
        #expect(state.chat(.direct(4), of: 1)?.chatItems.first?.meta.commentsTotal == 1, "the preview is a post, and has its count")
        var deleted = Samples.item(3)
        deleted.meta.parentItemID = 1
        let removed = ChatItemDeletion(deletedChatItem: Samples.located(deleted, in: bob))
        state.apply(.chatItemsDeleted(user: user, deletions: [removed], byUser: false, timed: false))
        #expect(comments(on: 1) == [5] && total(of: 1) == 1)
        var marked = Samples.item(5)
        marked.meta.parentItemID = 1
        let before = Samples.located(marked, in: bob)
        marked.meta.deleted = .deleted(deletedAt: nil, chatType: .group)
        let moderated = ChatItemDeletion(deletedChatItem: before, toChatItem: Samples.located(marked, in: bob))
        for _ in 1...2 { state.apply(.chatItemsDeleted(user: user, deletions: [moderated], byUser: false, timed: false)) }
        #expect(comments(on: 1) == [5] && total(of: 1) == nil)
    }

    @Test("settings, tags, aliases and marks are kept with their chat")
    func settings() {
        var state = state(Samples.message(1, in: bob))
        state.apply(.activeUser(user: user), to: .users(.showActive))
        let settings = ChatSettings(notifications: .mentions, isFavorite: true)
        state.apply(.cmdOk(user: user), to: .chats(.setSettings(.direct(4), settings)), as: 1)
        state.apply(.cmdOk(user: user), to: .chats(.markUnread(.direct(4), true)), as: 1)
        state.apply(.cmdOk(user: user), to: .contacts(.setCustomData(4, ["a": 1])), as: 1)
        let tag = ChatTag(chatTagID: 3, text: "vip")
        state.apply(.tagsUpdated(user: user, userTags: [tag], chatTags: [3]), to: .chats(.setTags(.direct(4), [3])))
        let chat = state.chat(.direct(4), of: 1)
        #expect(chat?.chatInfo.settings == settings)
        #expect(chat?.isUnread == true)
        #expect(chat?.chatInfo.contact?.customData == ["a": 1])
        #expect(chat?.chatInfo.tags == [3] && state.users[1]?.tags == [tag])
        state.apply(.cmdOk(user: user), to: .chats(.deleteTag(3)), as: 1)
        #expect(state.chat(.direct(4), of: 1)?.chatInfo.tags == [])
    }

    @Test("an archive that was read in makes everything unknown")
    func archive() {
        var state = state(Samples.message(1, in: bob))
        let changes = state.apply(.archiveImported(archiveErrors: []), to: .database(.importArchive(ArchiveConfig(archivePath: "a"))))
        #expect(state.users.isEmpty && changes.contains(.userRemoved(1)))
    }
}
