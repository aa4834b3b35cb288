import ChatAPI
import ChatProtocol
import Testing

/// Commands about chats and the messages in them.
@Suite struct ChatCommandTests {
    private static let time = UTCTimestamp(seconds: 1_700_000_000, nanoseconds: 500_000_000)
    private static let post = ComposedMessage(content: .text("a"))

    private static func page(_ chat: ChatReference, _ pagination: ChatPagination, search: String? = nil) -> ChatCommand {
        .chats(.page(chat, pagination: pagination, search: search))
    }

    static let chats: [CommandCase] = [
        CommandCase("/_get chats 1", .chats(.list(user: 1)), as: #"/_get chats 1 count=5000 {"type":"filters","favorite":false,"unread":false}"#),
        CommandCase(
            #"/_get chats 1 {"type":"search","search":"b ob"}"#, .chats(.list(user: 1, query: .search("b ob"))),
            as: #"/_get chats 1 count=5000 {"type":"search","search":"b ob"}"#),
        CommandCase(
            #"/_get chats 1 pcc=on before=2023-11-14T22:13:20.5Z count=0 {"type":"filters","favorite":true,"unread":false}"#,
            .chats(
                .list(user: 1, pendingConnections: true, pagination: .before(time, count: 0), query: .filters(favorite: true, unread: false)))),
        CommandCase(
            "/_get chats 1 after=2023-11-14T22:13:20.5Z count=3", .chats(.list(user: 1, pagination: .after(time, count: 3))),
            as: #"/_get chats 1 after=2023-11-14T22:13:20.5Z count=3 {"type":"filters","favorite":false,"unread":false}"#),
        CommandCase("/_get chat @1 count=20", page(.direct(1), .last(20))),
        CommandCase("/_get chat #1 after=5 count=20 search= x  y", page(.group(1), .after(5, count: 20), search: " x  y")),
        CommandCase("/_get chat *1 before=5 count=0 search=", page(.local(1), .before(5, count: 0), search: "")),
        CommandCase("/_get chat :1 initial=9", page(.connection(1), .initial(9))),
        CommandCase(
            "/_get chat #1(_support:7) content=poll around=5 count=2",
            .chats(.page(.group(1, scope: .memberSupport(7)), content: .unknown("poll"), pagination: .around(5, count: 2)))),
        CommandCase(
            "/_get chat #1 parent=6 content=image count=1",
            .chats(.page(.group(1), commentsOn: 6, content: .image, pagination: .last(1)))),
        CommandCase("/_get items count=3", .chats(.items(pagination: .last(3)))),
        CommandCase("/_read chat #1(_support)", .chats(.markRead(.group(1, scope: .memberSupport(nil))))),
        CommandCase("/_read chat items @1 3,2,3", .chats(.markItemsRead(.direct(1), [3, 2, 3]))),
        CommandCase("/_unread chat *1 off", .chats(.markUnread(.local(1), false))),
        CommandCase("/_delete @1", .chats(.delete(.direct(1))), as: "/_delete @1 full"),
        CommandCase("/_delete @1 notify=off", .chats(.delete(.direct(1), mode: .full(notify: false))), as: "/_delete @1 full notify=off"),
        CommandCase("/_delete :1 entity notify=on", .chats(.delete(.connection(1), mode: .entity())), as: "/_delete :1 entity"),
        CommandCase("/_delete #1 messages", .chats(.delete(.group(1), mode: .messages))),
        CommandCase(
            #"/_settings @1 {"enableNtfs":"mentions","sendRcpts":false,"favorite":true}"#,
            .chats(.setSettings(.direct(1), ChatSettings(notifications: .mentions, sendsReceipts: false, isFavorite: true)))),
        CommandCase("/_ttl 1 @2 default", .chats(.setMessageTTL(user: 1, .direct(2), seconds: nil))),
        CommandCase("/_ttl 1 #2 0", .chats(.setMessageTTL(user: 1, .group(2), seconds: 0))),
        CommandCase("/_set theme #3", .chats(.setThemes(.group(3), nil))),
        CommandCase("/_tags @4", .chats(.setTags(.direct(4), []))),
        CommandCase("/_tags @4 1,2", .chats(.setTags(.direct(4), [1, 2]))),
        CommandCase(#"/_update tag 3 {"text":"Work"}"#, .chats(.updateTag(3, ChatTagData(text: "Work")))),
        CommandCase("/_reorder tags 3,1,2", .chats(.reorderTags([3, 1, 2]))),
    ]

    static let messages: [CommandCase] = [
        CommandCase(
            "/_send @1 text  a\"b ", .messages(.send(to: .direct(1), [ComposedMessage(content: .text(" a\"b"))])),
            as: #"/_send @1 json [{"msgContent":{"type":"text","text":" a\"b"},"mentions":{}}]"#),
        CommandCase(
            #"/_send #1(_support:5)(as_group=on) live=on ttl=0 json [{"msgContent":{"type":"text","text":"a"},"mentions":{"b":7}}]"#,
            .messages(
                .send(
                    to: .group(1, scope: .memberSupport(5), asGroup: true), [ComposedMessage(content: .text("a"), mentions: ["b": 7])], live: true, ttl: 0))),
        CommandCase(
            #"/_send #1 ttl=5 sign=on json [{"msgContent":{"type":"text","text":"a"},"mentions":{}}]"#,
            .messages(.send(to: .group(1), [post], ttl: 5, signed: true))),
        CommandCase(
            #"/_send #1(as_group=off) live=off ttl=default json [{"msgContent":{"type":"text","text":"a"}}]"#, .messages(.send(to: .group(1), [post])),
            as: #"/_send #1 json [{"msgContent":{"type":"text","text":"a"},"mentions":{}}]"#),
        CommandCase(
            #"/_create *1 json [{"msgContent":{"type":"file","text":""},"fileSource":{"filePath":"/x"},"quotedItemId":4,"mentions":{}}]"#,
            .messages(.createNotes(1, [ComposedMessage(content: .file(""), fileSource: CryptoFile(filePath: "/x"), quotedItemID: 4)]))),
        CommandCase(
            "/_comment #1 2 ttl=60 text a", .messages(.comment(1, on: 2, [post], ttl: 60)),
            as: #"/_comment #1 2 ttl=60 json [{"msgContent":{"type":"text","text":"a"},"mentions":{}}]"#),
        CommandCase("/_comments_disabled #1 2 on", .messages(.setCommentsDisabled(1, 2, true))),
        CommandCase(
            "/_update item @1 2 live=on text  b", .messages(.update(.direct(1), 2, UpdatedMessage(content: .text(" b")), live: true)),
            as: #"/_update item @1 2 live=on json {"msgContent":{"type":"text","text":" b"},"mentions":{}}"#),
        CommandCase("/_delete item #1(_support) 1,2 internalMark", .messages(.delete(.group(1, scope: .memberSupport(nil)), [1, 2], mode: .internalMark))),
        CommandCase("/_delete member item #1 9", .messages(.moderate(1, [9]))),
        CommandCase("/_report #1 2 reason=spam", .messages(.report(1, 2, reason: .spam, text: ""))),
        CommandCase("/_report #1 2 reason=rude  so rude", .messages(.report(1, 2, reason: .unknown("rude"), text: " so rude"))),
        CommandCase("/_delete reports #1 2 broadcast", .messages(.deleteReports(1, [2], mode: .broadcast))),
        CommandCase(
            #"/_reaction @1 2 off {"type":"emoji","emoji":"❤"}"#,
            .messages(.react(.direct(1), 2, add: false, .emoji(ReactionEmoji.allCases[5])))),
        CommandCase("/_forward plan *1 4", .messages(.planForward(from: .local(1), [4]))),
        CommandCase("/_forward @1 as_group=off #2 4,5", .messages(.forward(to: .direct(1), from: .group(2), [4, 5])), as: "/_forward @1 #2 4,5"),
        CommandCase("/_forward #1 as_group=on @2 4 ttl=9", .messages(.forward(to: .group(1), from: .direct(2), [4], asGroup: true, ttl: 9))),
        CommandCase("/_share chat content #1 @2", .messages(.share(.group(1), to: .direct(2)))),
    ]

    @Test(arguments: chats + messages) func suchACommandIsReadAndWritten(_ item: CommandCase) throws { try item.check() }

    @Test(arguments: [
        "/_get chats", "/_get chats x", "/_get chats 1 pcc=yes count=1", "/_get chats 1 after=yesterday count=1", "/_get chats 1 count=",
        #"/_get chats 1 {"type":"favorite"}"#, #"/_get chats 1 {"type":"filters","favorite":true}"#, "/_get chat @1", "/_get chat 1 count=1",
        "/_get chat @ count=1", "/_get chat @1 count=-1", "/_get chat @1 last=5 count=1", "/_get chat @1 after=5", "/_get chat @1 content= count=1",
        "/_get chat @1(_support) count=1", "/_get chat #1(_support:) count=1", "/_get chat <@1 count=1", "/_read chat items @1", "/_read chat items @1 1,",
        "/_read chat items @1 1, 2", "/_unread chat @1", "/_unread chat @1 yes", "/_delete @1 all", "/_delete @1 messages notify=off", "/_delete <@1",
        #"/_settings @1 {"enableNtfs":"some","favorite":true}"#, #"/_settings @1 {"enableNtfs":"all"}"#, "/_ttl 1 @2", "/_ttl 1 @2 never", "/_tags @1 a",
        "/_reorder tags", "/_create tag {}",
    ]) func whatIsNotQuiteACommandAboutAChatIsRefused(text: String) { expectRefused(text) }

    @Test(arguments: [
        "/_send @1", "/_send @1 json []", "/_send @1 json {}", #"/_send @1 json [{"msgContent":{"type":"text"}}]"#, "/_send @1 text", "/_send *1 text a",
        "/_send @1(as_group=on) text a", "/_send #1(as_group=yes) text a", "/_send #1(as_group=on)(_support) text a", "/_send #1(_support text a",
        "/_send @1 ttl=5 live=on text a", "/_send #1 sign=on ttl=5 text a", "/_send #1 sign=maybe text a", "/_send @1 ttl=-5 text a",
        "/_send @1 live=maybe text a", "/_create @1 text a", "/_update item @1 2",
        "/_update item @1 2 json []", "/_delete item @1 2", "/_delete item @1 2 everywhere", "/_delete item @1 2 broadcast,", "/_report #1 2",
        "/_report @1 2 reason=spam", #"/_reaction @1 2 on {"type":"emoji","emoji":"🦄"}"#, #"/_reaction @1 2 on {"type":"heart"}"#, "/_reaction @1 2 on ❤",
        "/_forward @1 @2", "/_forward @1 @2 4 ttl=", "/_forward @1  @2 4", "/_share chat content #1 *2", "/_comment @1 2 text a", "/_comments_disabled #1 2",
    ]) func whatIsNotQuiteACommandAboutAMessageIsRefused(text: String) { expectRefused(text) }

    @Test(arguments: [
        ("@4", ChatReference.direct(4)), ("#1", .group(1)), ("#1(_support)", .group(1, scope: .memberSupport(nil))),
        ("#1(_support:2)", .group(1, scope: .memberSupport(2))), ("*1", .local(1)), (":3", .connection(3)), ("@0", .direct(0)),
        ("@9223372036854775807", .direct(ContactID(.max))),
    ]) func theNameOfAChatIsReadAndWritten(text: String, chat: ChatReference) {
        #expect(ChatReference(text) == chat)
        #expect(chat.description == text)
        #expect(chat.whole == ChatReference(type: chat.type, id: chat.id))
    }

    @Test(arguments: [
        "", "@", "4", "@4 ", " @4", "@-4", "@4(_support)", "#1(_support:2", "#1(_support:-2)", "#1(_support)(_support)", "<@5", "@4,5", "@+4", "@٤",
    ]) func whatIsNoNameOfAChatNamesNone(text: String) { #expect(ChatReference(text) == nil) }

    @Test func messagesGoIntoConversationsOnly() {
        #expect(SendTarget(.direct(4)) == .direct(4))
        #expect(SendTarget(.group(1, scope: .memberSupport(2))) == .group(1, scope: .memberSupport(2)))
        for chat: ChatReference in [.local(1), .connection(1), .contactRequest(1), ChatReference(type: ChatType(rawValue: "later"), id: 1)] {
            #expect(SendTarget(chat) == nil)
        }
        #expect(SendTarget.group(1, scope: .memberSupport(nil), asGroup: true).chat == .group(1, scope: .memberSupport(nil)))
    }
}
