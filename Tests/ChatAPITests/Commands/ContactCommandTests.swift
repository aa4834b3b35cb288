import ChatAPI
import ChatProtocol
import Testing

/// Commands about contacts, links and addresses.
@Suite struct ContactCommandTests {
    private static let full = "simplex:/invitation#/?v=2-7&smp=smp%3A%2F%2FAAAA%40a.example%2Fb"
    private static let short = "https://a.example/i#key/more?p=5223"
    private static let link = CreatedConnectionLink(fullLink: full, shortLink: short)
    private static let signature = LinkOwnerSignature(
        chatBinding: Base64URLBytes([1]), signature: Base64URLBytes(Array(repeating: 2, count: 64)))

    static let contacts: [CommandCase] = [
        CommandCase("/contacts", .contacts(.list(user: nil))),
        CommandCase("/_contacts 2", .contacts(.list(user: 2))),
        CommandCase(#"/_set prefs @1 {"voice":{"allow":"no"}}"#, .contacts(.setPreferences(1, ChatPreferences(voice: SimplePreference(allow: .no))))),
        CommandCase("/_set alias @1", .contacts(.setAlias(1, ""))),
        CommandCase("/_set alias @1  Bob \"B\"", .contacts(.setAlias(1, " Bob \"B\""))),
        CommandCase("/_set custom @1", .contacts(.setCustomData(1, nil))),
        CommandCase("/_set custom @1 {}", .contacts(.setCustomData(1, [:]))),
        CommandCase("/_sync @1 force=on", .contacts(.syncRatchet(1, force: true))),
        CommandCase("/_verify code @1", .contacts(.verify(1, code: nil))),
        CommandCase("/_verify code @1 12345 67890", .contacts(.verify(1, code: "12345 67890"))),
        CommandCase("/_set contact user @1 2", .contacts(.changeUser(1, to: 2))),
        CommandCase("/_connect contact @1", .contacts(.connectPrepared(1))),
        CommandCase(
            "/_connect contact @1 incognito=on text hi \"there\"", .contacts(.connectPrepared(1, incognito: true, message: .text("hi \"there\""))),
            as: #"/_connect contact @1 incognito=on json {"type":"text","text":"hi \"there\""}"#),
        CommandCase("/_connect contact 1 incognito=on 2", .contacts(.connectViaAddress(user: 1, incognito: true, 2))),
        CommandCase(
            #"/_invite member contact @1 json {"type":"poll","n":1.0}"#,
            .contacts(.inviteMemberContact(1, message: .unknown(tag: "poll", text: MessageContent.unknownText, ["type": "poll", "n": 1]))),
            as: #"/_invite member contact @1 json {"type":"poll","n":1}"#),
        CommandCase("/_accept member contact @1", .contacts(.acceptMemberContact(1))),
    ]

    static let links: [CommandCase] = [
        CommandCase("/c", .connections(.add(user: nil)), as: "/connect"),
        CommandCase("/c i", .connections(.add(user: nil, incognito: true)), as: "/connect incognito"),
        CommandCase("/_connect 1 incognito=off", .connections(.add(user: 1)), as: "/_connect 1"),
        CommandCase("/connect \(short)", .connections(.connectLink(short))),
        CommandCase("/c i any.thing", .connections(.connectLink(incognito: true, "any.thing")), as: "/connect incognito any.thing"),
        CommandCase("/_connect 1 \(full)", .connections(.connect(user: 1, CreatedConnectionLink(fullLink: full)))),
        CommandCase("/_connect 1 incognito=on \(full) \(short)", .connections(.connect(user: 1, incognito: true, link))),
        CommandCase("/_connect 1 nonsense", .connections(.connect(user: 1, nil)), as: "/_connect 1 ?"),
        CommandCase("/_connect plan 1 anything", .connections(.plan(user: 1, link: "anything"))),
        CommandCase("/_connect plan 1 @ann.simplex resolve=never", .connections(.plan(user: 1, link: "@ann.simplex", resolve: .never))),
        CommandCase(
            "/_connect plan 1 #news resolve=allGroups", .connections(.plan(user: 1, link: "#news", resolve: .allGroups)),
            as: "/_connect plan 1 #news resolve=on"),
        CommandCase("/_connect plan 1 l resolve=unknown", .connections(.plan(user: 1, link: "l")), as: "/_connect plan 1 l"),
        CommandCase("/c @ann.simplex", .connections(.connectLink("@ann.simplex")), as: "/connect @ann.simplex"),
        CommandCase(
            #"/_connect plan 1 l resolve=on sig={"chatBinding":"AQ==","ownerSig":"\#(signature.signature)"}"#,
            .connections(.plan(user: 1, link: "l", resolve: .allGroups, ownerSignature: signature))),
        CommandCase(
            #"/_prepare contact 1 \#(full) \#(short) {"profile":{"displayName":"b","fullName":""},"business":true}"#,
            .connections(.prepareContact(user: 1, link, ContactShortLinkData(profile: Profile(displayName: "b"), business: true)))),
        CommandCase(
            #"/_prepare group 1 \#(full) direct=off {"groupProfile":{"displayName":"g","fullName":""}}"#,
            .connections(
                .prepareGroup(
                    user: 1, CreatedConnectionLink(fullLink: full), direct: false, GroupShortLinkData(groupProfile: GroupProfile(displayName: "g"))))),
        CommandCase(
            #"/_prepare contact 1 \#(full) \#(short) domain=b.simplex {"profile":{"displayName":"b","fullName":""},"business":true}"#,
            .connections(
                .prepareContact(
                    user: 1, link, ContactShortLinkData(profile: Profile(displayName: "b"), business: true), domain: "b.simplex"))),
        CommandCase(
            #"/_prepare group 1 \#(full) direct=off domain=g.simplex {"groupProfile":{"displayName":"g","fullName":""}}"#,
            .connections(
                .prepareGroup(
                    user: 1, CreatedConnectionLink(fullLink: full), direct: false, GroupShortLinkData(groupProfile: GroupProfile(displayName: "g")),
                    domain: "g.simplex"))),
        CommandCase("/_verify domain @3", .contacts(.verifyDomain(3))),
        CommandCase("/_verify domain #3", .groups(.verifyDomain(3))),
        CommandCase("/_set domain 1 ann.simplex", .users(.setDomain(user: 1, "ann.simplex"))),
        CommandCase("/_set domain 1", .users(.setDomain(user: 1, nil))),
        CommandCase(
            #"/_public group access #3 {"groupDomainClaim":{"domain":"n.simplex"},"domainWebPage":true,"allowEmbedding":false}"#,
            .groups(.setPublicAccess(3, PublicGroupAccess(domainClaim: SimplexDomainClaim(domain: "n.simplex"), domainWebPage: true)))),
        CommandCase(
            "/public group access #news web=https://n.example domain=n.simplex domain_page=on embed=on",
            .console(
                .group(
                    "news",
                    .setPublicAccess(
                        PublicGroupAccess(
                            groupWebPage: "https://n.example", domainClaim: SimplexDomainClaim(domain: "n.simplex"), domainWebPage: true,
                            allowEmbedding: true))))),
        CommandCase("/public group access #news", .console(.group("news", .setPublicAccess(PublicGroupAccess())))),
        CommandCase("/simplex i", .connections(.connectSimplex(incognito: true)), as: "/simplex incognito"),
        CommandCase("/_set incognito :1 off", .connections(.setIncognito(connection: 1, false))),
        CommandCase("/_set conn user :1 2", .connections(.changeUser(connection: 1, to: 2))),
        CommandCase("/_set alias :1 x", .connections(.setAlias(connection: 1, "x"))),
    ]

    static let addresses: [CommandCase] = [
        CommandCase("/ad", .address(.create(user: nil)), as: "/address"),
        CommandCase("/da", .address(.delete(user: nil)), as: "/delete_address"),
        CommandCase("/_show_address 2", .address(.show(user: 2))),
        CommandCase("/pa on", .address(.setInProfile(user: nil, true)), as: "/profile_address on"),
        CommandCase("/_profile_address 1 off", .address(.setInProfile(user: 1, false))),
        CommandCase("/auto_accept off", .address(.setSettings(user: nil, AddressSettings(isBusinessAddress: false)))),
        CommandCase(
            "/auto_accept on", .address(.setSettings(user: nil, AddressSettings(isBusinessAddress: false, autoAccept: AutoAccept(acceptIncognito: false))))),
        CommandCase(
            "/auto_accept on incognito=on text hi",
            .address(
                .setSettings(
                    user: nil, AddressSettings(isBusinessAddress: false, autoAccept: AutoAccept(acceptIncognito: true), autoReply: .text("hi")))),
            as: #"/auto_accept on incognito=on json {"type":"text","text":"hi"}"#),
        CommandCase(
            "/auto_accept on business",
            .address(.setSettings(user: nil, AddressSettings(isBusinessAddress: true, autoAccept: AutoAccept(acceptIncognito: false))))),
        CommandCase(#"/_address_settings 1 {"businessAddress":false}"#, .address(.setSettings(user: 1, AddressSettings(isBusinessAddress: false)))),
        CommandCase("/_accept incognito=on 5", .address(.accept(5, incognito: true))),
        CommandCase("/_reject 5", .address(.reject(5))),
    ]

    @Test(arguments: contacts + links + addresses) func suchACommandIsReadAndWritten(_ item: CommandCase) throws { try item.check() }

    @Test(arguments: [
        "/_contacts", "/_info 1", "/_info @", "/_set prefs @1", "/_set prefs @1 []", #"/_set prefs @1 {"voice":{"allow":"maybe"}}"#, "/_set alias 1 x",
        "/_set aliases @1", "/_set custom @1 []", "/_set custom @1 1", "/_set custom @1{}", "/_sync @1 force=off", "/_verify code @1 12a",
        "/_set contact user @1", "/_connect contact @1 hi", "/_connect contact @1 json {}", "/_connect contact 1", "/_invite member contact @1 text",
        "/_connect plan 1", "/_connect plan link", "/_connect plan 1 l resolve=yes", "/_connect plan 1 l sig={}", "/_connect plan 1 l m",
        "/_prepare contact 1 \(full)", "/_prepare contact 1 \(short) {}", "/_prepare contact 1 nonsense {}", "/_prepare contact 1 \(full) {}",
        "/_prepare group 1 \(full) direct=maybe {}", "/_connect", "/_connect 1 incognito=maybe x y", "/_connect 1 a b", "/connect a b", "/simplex team",
        "/_set incognito 1 on", "/_set incognito :1", "/addresses", "/pa", "/auto_accept", "/auto_accept yes", "/auto_accept off text hi",
        "/auto_accept on business incognito=on", "/_address_settings 1", "/_address_settings 1 {}", "/_accept @5", "/_accept incognito=maybe 5", "/_reject",
    ]) func whatIsNotQuiteSuchACommandIsRefused(text: String) { expectRefused(text) }

    /// Full links name a request and a version in the fragment, short ones a key. Only whether a text has that shape is looked at here.
    @Test(arguments: [
        ("simplex:/contact#/?v=1&smp=smp%3A%2F%2Fa", true), ("https://simplex.chat/contact#/?v=1&smp=smp%3A%2F%2Fa", true),
        ("http://simplex.chat/contact#/?v=1&smp=smp%3A%2F%2Fa", false), ("simplex:/contact#/?v=1", false), ("simplex:/contact#?smp=smp%3A%2F%2Fa", false),
        ("simplex:/contact", false), ("simplex:/group#/?smp=smp%3A%2F%2Fa", false), ("https://a.example/a#key", false), ("simplex:/a#key", false),
    ]) func onlyFullLinksConnect(link: String, isFull: Bool) throws {
        let expected: CreatedConnectionLink? = isFull ? CreatedConnectionLink(fullLink: link) : nil
        #expect(try ChatCommand(parsing: "/_connect 1 \(link)") == .connections(.connect(user: 1, expected)))
    }
}
