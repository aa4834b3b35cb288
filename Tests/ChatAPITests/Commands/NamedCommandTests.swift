import ChatAPI
import ChatProtocol
import Testing

/// Commands about contacts, groups and members who are named.
@Suite struct NamedCommandTests {
    private static func contact(_ text: String, _ command: NamedContactCommand, as written: String? = nil) -> CommandCase {
        CommandCase(text, .console(.contact("bob", command)), as: written)
    }

    private static func group(_ text: String, _ command: NamedGroupCommand, as written: String? = nil) -> CommandCase {
        CommandCase(text, .console(.group("team", command)), as: written)
    }

    private static func member(_ text: String, _ command: NamedMemberCommand, as written: String? = nil) -> CommandCase {
        CommandCase(text, .console(.member(group: "team", member: "bob", command)), as: written)
    }

    static let contacts: [CommandCase] = [
        contact("/i bob", .info, as: "/info @bob"), contact("/queue info @bob", .queueInfo),
        contact("/abort switch bob", .abortSwitch, as: "/abort switch @bob"),
        contact("/sync @bob force=on", .syncRatchet(force: true)), contact("/verify @bob", .verify(code: nil)),
        contact("/verify @bob 1 2", .verify(code: "1 2")), contact("/d bob", .delete(.full()), as: "/delete @bob full"),
        contact("/delete @bob entity notify=off", .delete(.entity(notify: false))), contact("/rc bob", .reject, as: "/reject @bob"),
        contact("/ac bob", .accept(), as: "/accept @bob"), contact("/accept i @bob", .accept(incognito: true), as: "/accept incognito @bob"),
        contact("/accept_member_contact @bob", .acceptMemberContact), contact("/set voice @bob", .setFeature(.voice, nil)),
        contact("/set delete @bob always", .setFeature(.fullDelete, .always)), contact("/set disappear @bob", .setTimedMessages(nil)),
        contact("/set disappear @bob no", .setTimedMessages(.disable)), contact("/set disappear @bob yes", .setTimedMessages(.enableKeepingTTL)),
        contact("/set disappear @bob 5min", .setTimedMessages(.enable(seconds: 300)), as: "/set disappear @bob yes 300"),
        contact("/set disappear @bob yes 8h", .setTimedMessages(.enable(seconds: 28_800)), as: "/set disappear @bob yes 28800"),
        contact("/call bob", .call, as: "/call @bob"),
        CommandCase("/clear 'bob, b.'", .console(.contact("bob, b.", .clear)), as: "/clear @'bob, b.'"),
    ]

    static let groups: [CommandCase] = [
        group("/i #team", .info, as: "/info #team"), group("/ms team", .members, as: "/members #team"),
        group("/j #team mute", .join(mute: true), as: "/join #team mute"),
        group("/d #team", .delete, as: "/delete #team"), group("/gp team", .profile, as: "/group_profile #team"),
        group("/gp #team 'our team' since 2020", .rename(name: "our team", description: "since 2020"), as: "/group_profile #team 'our team' since 2020"),
        group("/group_descr team", .setWelcome(nil), as: "/delete welcome #team"),
        group("/group_descr #team hi", .setWelcome("hi"), as: "/set welcome #team hi"),
        group(#"/set welcome #team "a\n""#, .setWelcome("a\n")), group("/show welcome #team", .welcome),
        group("/group allow #team", .allowRelay), group("/create link #team", .createLink(.member), as: "/create link #team member"),
        group("/set link role #team observer", .setLinkRole(.observer)),
        group("/rm team bob,@'a b' messages=on", .remove(["bob", "a b"], withMessages: true), as: "/remove #team @bob,@'a b' messages=on"),
        group("/set voice #team on moderator", .setFeature(.voice, .on, role: .moderator)), group("/set history #team off", .setFeature(.history, .off)),
        group("/set links #team off", .setFeature(.simplexLinks, .off)), group("/set direct #team on", .setFeature(.directMessages, .on)),
        group("/set support #team on", .setFeature(.support, .on)), group("/set disappear #team off", .setTimedMessages(seconds: nil)),
        group("/set disappear #team month", .setTimedMessages(seconds: 2_592_000), as: "/set disappear #team on 2592000"),
        group("/set admission review #team all", .setAdmissionReview(.all)), group("/set admission review #team off", .setAdmissionReview(nil)),
        group("/report #team @bob spam so  much", .report(member: "bob", reason: .spam, text: "so  much")),
        group("/report #team odd why", .report(member: nil, reason: .unknown("odd"), text: "why")),
        group("/share chat #team *", .share(to: ChatName(chatType: .local, name: ""))),
    ]

    static let members: [CommandCase] = [
        member("/a team bob", .add(.member), as: "/add #team @bob member"), member("/add #team @bob observer", .add(.observer)),
        member("/accept member #team bob owner", .accept(.owner), as: "/accept member #team @bob owner"),
        member("/mr team bob admin", .setRole(.admin), as: "/member role #team @bob admin"), member("/block for all #team @bob", .blockForAll(true)),
        member("/unblock #team bob", .showMessages(true), as: "/unblock #team @bob"), member("/i #team @bob", .info, as: "/info #team @bob"),
        member("/sync #team bob", .syncRatchet(), as: "/sync #team @bob"), member("/code #team @bob", .securityCode),
        member("/verify #team @bob 1", .verify(code: "1")),
    ]

    @Test(arguments: contacts + groups + members) func suchACommandIsReadAndWritten(_ item: CommandCase) throws { try item.check() }

    @Test(arguments: [
        "/info", "/info @", "/info @bob x", "/verify @bob x", "/delete @bob all", "/delete @bob messages notify=on", "/accept ivan",
        "/accept_member_contact bob",
        "/set voice @bob maybe", "/set disappear @bob maybe", "/set disappear @bob -5", "/set reactions @bob yes", "/call",
        "/members", "/join #team x", "/delete #team full", "/set welcome #team", "/create link #team boss", "/set link role #team", "/remove #team",
        "/remove #team bob, ann", "/set voice #team", "/set voice #team always", "/set history #team on admin", "/set disappear #team",
        "/set disappear #team on",
        "/set admission review #team", "/report #team", "/report #team spam", "/report #team @bob spam", "/share chat #team bob", "/add #team",
        "/add #team @bob author", "/member role #team @bob", "/block #team", "/block for all @bob", "/unblock for all #team @bob x", "/code #team bob x",
    ]) func whatIsNotQuiteSuchACommandIsRefused(text: String) { expectRefused(text) }
}
