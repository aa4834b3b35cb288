import ChatAPI
import ChatProtocol
import Testing

/// Commands as people type them.
@Suite struct ConsoleCommandTests {
    private static let bob = ChatName(chatType: .direct, name: "bob")
    private static let team = ChatName(chatType: .group, name: "team")
    private static let notes = ChatName(chatType: .local, name: "")

    private static func send(_ target: ConsoleTarget, _ text: String) -> ChatCommand { .console(.send(to: target, text)) }

    static let messages: [CommandCase] = [
        CommandCase("@bob hi", send(.contact("bob"), "hi")),
        CommandCase("@'bob b' hi", send(.contact("bob b"), "hi")),
        CommandCase("@bob  hi", send(.contact("bob"), " hi")),
        CommandCase(#"@bob "two\nlines""#, send(.contact("bob"), "two\nlines"), as: "@bob two\nlines"),
        CommandCase(#"@bob "hi" there"#, send(.contact("bob"), #""hi" there"#)),
        CommandCase(#"@bob "5""#, send(.contact("bob"), "5"), as: "@bob 5"),
        CommandCase(#"@bob "\"5\"""#, send(.contact("bob"), #""5""#)),
        CommandCase("#team hi", send(.group("team"), "hi")),
        CommandCase("#team (support) hi", send(.support(group: "team", member: nil), "hi")),
        CommandCase("#team   (support:'b c') hi", send(.support(group: "team", member: "b c"), "hi"), as: "#team (support: 'b c') hi"),
        CommandCase("#team (support: bob)) hi", send(.support(group: "team", member: "bob)"), "hi")),
        CommandCase("@#team @bob hi", send(.member(group: "team", member: "bob"), "hi")),
        CommandCase("@#team bob hi", send(.member(group: "team", member: "bob"), "hi"), as: "@#team @bob hi"),
        CommandCase("/* note", send(.notes, "note")),
        CommandCase("/live #team", .console(.sendLive(to: team, "")), as: #"/live #team """#),
        CommandCase("/live @bob typing", .console(.sendLive(to: bob, "typing"))),
        CommandCase("> @bob (hi) you", .console(.quote(contact: "bob", .received, quoted: "hi", "you")), as: ">@bob (hi) you"),
        CommandCase(">>@bob (hi)you", .console(.quote(contact: "bob", .sent, quoted: "hi", "you")), as: ">>@bob (hi) you"),
        CommandCase("> #team (mine) you", .console(.quoteInGroup(group: "team", member: nil, quoted: "mine", "you")), as: ">#team (mine) you"),
        CommandCase(">#team @bob () you", .console(.quoteInGroup(group: "team", member: "bob", quoted: "", "you"))),
        CommandCase("!@bob (old) new", .console(.edit(bob, text: "old", "new")), as: "! @bob (old) new"),
        CommandCase("! @bob new", .console(.edit(bob, text: "", "new")), as: "! @bob () new"),
        CommandCase(#"\@bob old "#, .console(.delete(bob, text: "old")), as: #"\ @bob old"#),
        CommandCase(#"\* old"#, .console(.delete(notes, text: "old")), as: #"\ * old"#),
        CommandCase(##"\\#team @bob bad word"##, .console(.moderate(group: "team", member: "bob", text: "bad word")), as: ##"\\ #team @bob bad word"##),
        CommandCase("+1 bob hi", .console(.react(bob, add: true, thumb, text: "hi")), as: "+👍 @bob hi"),
        CommandCase("-👍 #team hi", .console(.react(team, add: false, thumb, text: "hi"))),
        CommandCase("@bob <- @ann hi", .console(.forward(to: bob, from: ChatName(chatType: .direct, name: "ann"), text: "hi"))),
        CommandCase("#team <- #team @ann hi", .console(.forward(to: team, from: team, member: "ann", text: "hi"))),
        CommandCase("* <- * hi", .console(.forward(to: notes, from: notes, text: "hi"))),
        CommandCase("/feed hello", .console(.broadcast("hello"))),
        CommandCase("/f bob /a b", .console(.sendFile(to: bob, CryptoFile(filePath: "/a b"))), as: "/file @bob /a b"),
        CommandCase("/ff #team 5", .console(.forwardFile(to: team, 5)), as: "/fforward #team 5"),
        CommandCase("/imgf @bob 5", .console(.forwardImage(to: bob, 5)), as: "/image_forward @bob 5"),
    ]

    private static let thumb = MessageReaction.emoji(ReactionEmoji.allCases[0])

    static let chats: [CommandCase] = [
        CommandCase("/cs", .console(.lastChats(20)), as: "/chats 20"),
        CommandCase("/chats all", .console(.lastChats(nil))),
        CommandCase("/t", .console(.lastMessages(nil, count: 10, search: nil)), as: "/tail 10"),
        CommandCase("/tail * 3", .console(.lastMessages(notes, count: 3, search: nil))),
        CommandCase("/? @bob 3 a 4 b", .console(.lastMessages(bob, count: 3, search: "a 4 b")), as: "/search @bob 3 a 4 b"),
        CommandCase("/search text", .console(.lastMessages(nil, count: 10, search: "text")), as: "/search 10 text"),
        CommandCase("/last_item_id :x", .console(.lastItemID(ChatName(chatType: .contactConnection, name: "x"), 0)), as: "/last_item_id :x 0"),
        CommandCase("/show", .console(.showLiveItems(true)), as: "/show on"),
        CommandCase("/show 5", .console(.showItem(5))),
        CommandCase("/item info #team hi", .console(.itemInfo(team, text: "hi"))),
        CommandCase("/unmute mentions #team", .console(.setNotifications(team, .mentions))),
        CommandCase("/receipts @bob default", .console(.setReceipts(bob, nil))),
        CommandCase("/ttl @bob week", .console(.setMessageTTL(bob, seconds: 604_800))),
        CommandCase("/ttl #team", .console(.messageTTL(team))),
        CommandCase("/clear *", .console(.clearNotes)),
        CommandCase("/g i #team for us", .console(.newGroup(incognito: true, name: "team", description: "for us")), as: "/group incognito #team for us"),
        CommandCase("/g team", .console(.newGroup(name: "team", description: nil)), as: "/group #team"),
        CommandCase("/gs @bob the team", .console(.groups(contact: "bob", search: "the team")), as: "/groups @bob the team"),
        CommandCase("/groups  @bob", .console(.groups(contact: nil, search: " @bob"))),
    ]

    @Test(arguments: messages + chats) func suchACommandIsReadAndWritten(_ item: CommandCase) throws { try item.check() }

    @Test(arguments: [
        ("/hf", "files"), ("/help group", "groups"), ("/hc", "contacts"), ("/ha", "myAddress"), ("/incognito off", "incognito"), ("/hm", "messages"),
        ("/help remote", "remote"), ("/hs", "settings"), ("/hd", "database"), ("/h", "main"), ("/m", "markdown"),
    ]) func helpIsAskedForInManyWays(text: String, section: String) throws {
        try CommandCase(text, .console(.help(section)), as: ChatCommand.console(.help(section)).commandString).check()
    }

    @Test(arguments: [
        "@", "@bob", "bob hi", "@ bob hi", "@@bob hi", "@'' hi", "@'bob hi", "@bob, hi", "@'#bob' hi", "#team", "#team (support hi", "#team (support)",
        "#team (support)hi", "#team (supporters) hi", "@#team hi", "/*note", "/ * note", "/live bob", ">bob (hi) you", ">@bob hi",
        ">@bob (hi", "> #team bob you", #"\ bob x"#, #"\ @bob"#, #"\\ @bob x"#, "! bob x", "!@bob", "+ @bob hi", "+🦄 @bob hi", "+👍👍 @bob hi", "+1 @bob",
        "/feed", "/f", "/f bob", "/ff bob", "/ff bob /a",
    ]) func whatIsNotQuiteAMessageIsRefused(text: String) { expectRefused(text) }

    @Test(arguments: [
        "/chats -1", "/chats all 5", "/chats5", "/tail 5 @bob", "/search", "/search 5", "/search 5x", "/last_item_id -1", "/show -1", "/show maybe",
        "/item info #team", "/mute bob", "/receipts @bob", "/receipts @bob maybe", "/ttl bob", "/ttl @bob 5", "/clear", "/group", "/g ivan", "/group ''",
        "/groups@bob", "/help me", "/incognito maybe",
    ]) func whatIsNotQuiteACommandAboutChatsIsRefused(text: String) { expectRefused(text) }
}
