import ChatAPI
import ChatProtocol
import Testing

/// Commands about profiles.
@Suite struct ProfileCommandTests {
    private static let bot = ChatPreferences(files: SimplePreference(allow: .no))

    private static func newUser(_ profile: Profile, isChatRelay: Bool = false) -> ChatCommand {
        .users(.create(NewUser(profile: profile, pastTimestamp: false, isChatRelay: isChatRelay)))
    }

    static let read: [CommandCase] = [
        CommandCase(
            "/create user bob", newUser(Profile(displayName: "bob")),
            as: #"/_create user {"profile":{"displayName":"bob","fullName":""},"pastTimestamp":false,"userChatRelay":false}"#),
        CommandCase(
            "/create chat relay user 'a relay'  for channels", newUser(Profile(displayName: "a relay", shortDescription: "for channels"), isChatRelay: true),
            as: #"/_create user {"profile":{"displayName":"a relay","fullName":"","shortDescr":"for channels"},"#
                + #""pastTimestamp":false,"userChatRelay":true}"#),
        CommandCase(
            "/create bot files=on ann", newUser(Profile(displayName: "ann", peerType: .bot)),
            as: #"/_create user {"profile":{"displayName":"ann","fullName":"","peerType":"bot"},"pastTimestamp":false,"userChatRelay":false}"#),
        CommandCase(
            "/create bot files=off ann", newUser(Profile(displayName: "ann", preferences: bot, peerType: .bot)),
            as: #"/_create user {"profile":{"displayName":"ann","fullName":"","preferences":{"files":{"allow":"no"}},"peerType":"bot"},"#
                + #""pastTimestamp":false,"userChatRelay":false}"#),
        CommandCase(
            #"/_create user {"pastTimestamp":true,"userChatRelay":false}"#,
            .users(.create(NewUser(profile: nil, pastTimestamp: true, isChatRelay: false)))),
        CommandCase("/u", .users(.showActive), as: "/user"),
        CommandCase("/users", .users(.list)),
        CommandCase("/u bob", .users(.setActiveNamed("bob")), as: "/user bob"),
        CommandCase("/user 'bob b' secret", .users(.setActiveNamed("bob b", password: "secret")), as: #"/user 'bob b' "secret""#),
        CommandCase(#"/user bob "my \"secret\"""#, .users(.setActiveNamed("bob", password: #"my "secret""#))),
        CommandCase("/_user 2", .users(.setActive(2))),
        CommandCase(#"/_user 2 "p w""#, .users(.setActive(2, password: "p w"))),
        CommandCase("/set receipts all off", .users(.setAllReceipts(false))),
        CommandCase(
            "/set receipts contacts on clear_overrides=on", .users(.setContactReceipts(user: nil, UserReceiptSettings(enable: true, clearOverrides: true)))),
        CommandCase(
            "/_set receipts groups 3 off clear_overrides=off",
            .users(.setGroupReceipts(user: 3, UserReceiptSettings(enable: false, clearOverrides: false))), as: "/_set receipts groups 3 off"),
        CommandCase("/set accept member contacts on", .users(.setAutoAcceptMemberContacts(user: nil, true))),
        CommandCase("/_set accept member contacts 7 off", .users(.setAutoAcceptMemberContacts(user: 7, false))),
        CommandCase("/hide user p", .users(.hide(user: nil, password: "p")), as: #"/hide user "p""#),
        CommandCase(#"/_hide user 1 """#, .users(.hide(user: 1, password: ""))),
        CommandCase(#"/_unhide user 1 "é""#, .users(.unhide(user: 1, password: "é"))),
        CommandCase("/mute user", .users(.mute(user: nil))),
        CommandCase("/_unmute user 4", .users(.unmute(user: 4))),
        CommandCase(#"/_delete user 2 del_smp=off "p""#, .users(.delete(2, deleteQueues: false, password: "p"))),
        CommandCase("/delete user 'a,b'", .users(.deleteNamed("a,b"))),
        CommandCase("/p", .users(.showProfile), as: "/profile"),
        CommandCase("/p bob \t the   baker", .users(.renameProfile(name: "bob", description: "the   baker")), as: "/profile bob the   baker"),
        CommandCase("/set profile image data:image/png;base64,QUI=", .users(.updateProfileImage(ImageData("data:image/png;base64,QUI=")))),
        CommandCase("/delete profile image", .users(.updateProfileImage(nil))),
        CommandCase("/show profile image", .users(.showProfileImage)),
        CommandCase("/set calls always", .users(.setFeature(.calls, .always))),
        CommandCase("/set delete yes", .users(.setFeature(.fullDelete, .yes))),
        CommandCase("/set disappear no", .users(.setTimedMessages(false))),
        CommandCase("/_set theme user 1", .users(.setThemes(user: 1, nil))),
        CommandCase(
            #"/_set theme user 1 {"dark":{"mode":"dark","colors":{}},"light":null}"#,
            .users(.setThemes(user: 1, ["dark": ["mode": "dark", "colors": [:]], "light": .null]))),
        CommandCase("/_read user 1", .users(.markRead(user: 1))),
        CommandCase("/read user", .users(.markRead(user: nil))),
        CommandCase("/ttl none", .users(.setMessageTTL(user: nil, seconds: 0))),
        CommandCase("/ttl year", .users(.setMessageTTL(user: nil, seconds: 31_536_000))),
        CommandCase("/_ttl 1 5", .users(.setMessageTTL(user: 1, seconds: 5))),
        CommandCase("/_ttl 1", .users(.messageTTL(user: 1))),
        CommandCase("/ttl", .users(.messageTTL(user: nil))),
    ]

    @Test(arguments: read) func aCommandAboutAProfileIsReadAndWritten(_ item: CommandCase) throws { try item.check() }

    @Test(arguments: [
        "/create user", "/create user #bob", "/create user @bob", "/create user ''", "/create user 'bob", "/_create user {}",
        #"/_create user {"profile":{"displayName":"bob"},"pastTimestamp":false,"userChatRelay":false}"#, "/user ,", "/_user", "/_user -1", "/_user 1 p",
        "/_user 1 \"p", "/set receipts all yes", "/set receipts contacts on clear_overrides=", "/_set receipts groups on", "/_hide user 1 p", "/_hide user 1",
        "/mute users", "/_delete user 1", "/_delete user 1 del_smp=on p", "/set profile image https://example.com/a.png",
        "/set profile image data:image/png;base64,QUI", "/set profile image data:image/png;base64,Q=I=", "/set profile image data:image/png;base64,====",
        "/set profile image data:image/gif;base64,QUI=", "/set calls maybe", "/set disappear always", "/_set theme user 1 []",
        #"/_set theme user 1 {"dark":{"mode":"grey","colors":{}}}"#, #"/_set theme user 1 {"light":{"mode":"light"}}"#, "/ttl 5", "/ttl days", "/_ttl x",
        "/_ttl 1 -5",
    ]) func whatIsNotQuiteSuchACommandIsRefused(text: String) { expectRefused(text) }

    @Test func aDescriptionHasAtMost160CharactersAndNoSpaceAtItsEnds() throws {
        func description(_ text: String) throws -> String? {
            guard case .users(.renameProfile("bob", let description)) = try ChatCommand(parsing: "/profile bob \(text)") else { return "?" }
            return description
        }
        let long = String(repeating: "é", count: 160)
        #expect(try description(long) == long)
        #expect(try description(long + "x") == long)
        #expect(try description("  \n a b \n ") == "a b")
        #expect(try description(" \t ") == nil)
        // What is cut off leaves white space at the end, which nobody could write again.
        for space in [" ", "\n", "\t ", "\r\n"] {
            let text = String(repeating: "x", count: 160 - space.unicodeScalars.count)
            let command = try ChatCommand(parsing: "/profile bob \(text)\(space)more")
            #expect(command == .users(.renameProfile(name: "bob", description: text)))
            #expect(try ChatCommand(parsing: command.commandString) == command)
        }
    }
}
