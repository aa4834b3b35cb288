import ChatAPI
import ChatProtocol
import Testing

/// Commands about groups and channels.
@Suite struct GroupCommandTests {
    private static let profile = #"{"displayName":"g","fullName":""}"#

    static let read: [CommandCase] = [
        CommandCase("/_group 1 \(profile)", .groups(.create(user: 1, GroupProfile(displayName: "g")))),
        CommandCase("/_group 1 incognito=on \(profile)", .groups(.create(user: 1, incognito: true, GroupProfile(displayName: "g")))),
        CommandCase(
            "/_public group 1 incognito=off 2,3 \(profile)", .groups(.createPublic(user: 1, relays: [2, 3], GroupProfile(displayName: "g"))),
            as: "/_public group 1 2,3 \(profile)"),
        CommandCase("/_get relays #1", .groups(.relays(1))),
        CommandCase("/_add relays #1 2", .groups(.addRelays(1, [2]))),
        CommandCase("/_relay allow #1", .groups(.allowRelay(1))),
        CommandCase("/_groups 1", .groups(.list(user: 1))),
        CommandCase("/_groups 1 @2  my team", .groups(.list(user: 1, contact: 2, search: " my team"))),
        CommandCase("/_groups 1 @ my team", .groups(.list(user: 1, search: "@ my team"))),
        CommandCase("/_info #1", .groups(.info(1))),
        CommandCase("/_info #1 2", .groups(.memberInfo(1, 2))),
        CommandCase("/_get group link data #1", .groups(.linkData(1))),
        CommandCase("/_group_profile #1 \(profile)", .groups(.updateProfile(1, GroupProfile(displayName: "g")))),
        CommandCase("/_set alias #1", .groups(.setAlias(1, ""))),
        CommandCase(#"/_set custom #1 {"a":[1,null]}"#, .groups(.setCustomData(1, ["a": [1, .null]]))),
        CommandCase("/_set group user #1 2", .groups(.changeUser(1, to: 2))),
        CommandCase("/_connect group #1", .groups(.connectPrepared(1))),
        CommandCase(
            "/_connect group #1 incognito=on contact=2 owner=AQID text hi",
            .groups(.connectPrepared(1, incognito: true, owner: GroupOwnerContact(contactID: 2, memberID: "AQID"), message: .text("hi"))),
            as: #"/_connect group #1 incognito=on contact=2 owner=AQID json {"type":"text","text":"hi"}"#),
        CommandCase("/_add #1 2 admin", .groups(.add(1, 2, .admin))),
        CommandCase("/_accept member #1 2 commenter", .groups(.acceptMember(1, 2, .commenter))),
        CommandCase("/_delete member chat #1 2", .groups(.deleteMemberSupportChat(1, 2))),
        CommandCase("/_member role #1 2,3 moderator", .groups(.setRole(1, [2, 3], .moderator))),
        CommandCase("/_block #1 2,3 blocked=off", .groups(.blockForAll(1, [2, 3], false))),
        CommandCase("/_remove #1 2 messages=on", .groups(.remove(1, [2], withMessages: true))),
        CommandCase("/_remove #1 2 messages=off", .groups(.remove(1, [2])), as: "/_remove #1 2"),
        CommandCase("/_member settings #1 2 {\"showMessages\":false}", .groups(.setMemberSettings(1, 2, GroupMemberSettings(showsMessages: false)))),
        CommandCase("/_sync #1 2 force=on", .groups(.syncMemberRatchet(1, 2, force: true))),
        CommandCase("/_verify code #1 2 0 1", .groups(.verifyMember(1, 2, code: "0 1"))),
        CommandCase("/_create member contact #1 2", .groups(.createMemberContact(1, 2))),
        CommandCase("/_create link #1", .groups(.createLink(1, .member)), as: "/_create link #1 member"),
        CommandCase("/_set link role #1 observer", .groups(.setLinkRole(1, .observer))),
        CommandCase("/_short link #1", .groups(.addShortLink(1))),
    ]

    @Test(arguments: read) func aCommandAboutAGroupIsReadAndWritten(_ item: CommandCase) throws { try item.check() }

    @Test(arguments: [
        "/_group 1", "/_group 1 {}", "/_group x \(profile)", "/_group 1 incognito=yes \(profile)", "/_public group 1 \(profile)",
        "/_public group 1 2, \(profile)",
        "/_add relays #1", "/_add relays #1 ", "/_add relays #1 a", "/_groups", "/_info #", "/_info #1 a", "/_group_profile #1", "/_set group user #1",
        "/_connect group #1 contact=2 text hi", "/_connect group #1 owner=A", "/_connect group #1 hello", "/_add #1 2", "/_add #1 2 author", "/_add #1 2 relay",
        "/_add #1 2 boss", "/_add #1 2 Admin", "/_add #1 2 adminx", "/_accept member #1 2", "/_member role #1 admin", "/_member role #1 2, admin",
        "/_block #1 2", "/_block #1 2 blocked=yes", "/_remove #1", "/_remove #1 2 messages=yes", "/_member settings #1 2 {}", "/_sync #1", "/_sync #1 2 force",
        "/_verify code #1 2 abc", "/_create link #1 boss", "/_set link role #1", "/_get link 1", "/_members @1", "/_leave #1 2", "/_relay allow",
        "/_relay allow #", "/_relay allow #1 2", "/_relay allow @1",
    ]) func whatIsNotQuiteSuchACommandIsRefused(text: String) { expectRefused(text) }

    /// Relays are added by commands of their own, and nobody is made an author.
    @Test func theRolesThatCanBeGivenAreWrittenAsTheyAreRead() throws {
        for role: GroupMemberRole in [.observer, .commenter, .member, .moderator, .admin, .owner] {
            let command = ChatCommand.groups(.setRole(1, [2], role))
            #expect(try ChatCommand(parsing: command.commandString) == command)
        }
        for role: GroupMemberRole in [.relay, .author, .unknown("chief")] { expectRefused(ChatCommand.groups(.setRole(1, [2], role)).commandString) }
    }
}
