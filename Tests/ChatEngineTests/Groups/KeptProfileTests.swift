import ChatAPI
import ChatRules
import SMPWire
import Testing
import TranscriptSupport

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Profiles of newer clients that are changed and passed on here.
@Suite("What newer clients put into profiles")
struct KeptProfileTests {
    /// The profile of a group as clients of 7.0 write it: with names, pages and preferences that this version does not know.
    private static let group = """
        {"displayName":"crew","fullName":"","shortDescr":"daily","description":"About *us*","image":"data:image/png;base64,AA==",\
        "groupPreferences":{"timedMessages":{"enable":"on","ttl":86400,"later":{"since":1}},"directMessages":{"enable":"on"},\
        "files":{"enable":"on","role":"member","maxSize":5},"history":{"enable":"on"},"signMessages":{"enable":"on"},\
        "rateLimit":{"enable":"on","perMinute":20},"commands":[{"type":"command","keyword":"help","label":"Help","icon":"?"},{"type":"form","fields":[1]}]},\
        "memberAdmission":{"review":"all","captcha":"all"},"groupDomain":{"domain":"crew.simplex","proof":null},"later":[[],{},null,1.50,"x"]}
        """

    private func owned() async throws -> (RuleScene, olga: GroupMemberID, bob: GroupMemberID) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: .owner, with: ["olga": .owner, "bob": .member])
        return (scene, try #require(members["olga"]), try #require(members["bob"]))
    }

    @Test("of a group stays in it when another owner changes the profile")
    func groupProfile() async throws {
        let (scene, olga, _) = try await owned()
        let told = try await scene.receive([.groupInfo(try GroupProfile(parsing: Self.group))], from: .member(olga)).events
        #expect(told.types.contains("groupUpdated"))
        var expected = try #require(try JSONValue(parsing: Self.group).objectValue)
        #expect(try await scene.group().groupProfile.json == .object(expected))
        let changes: [(String, JSONValue, @Sendable (inout GroupProfile) -> Void)] = [
            ("displayName", "team", { $0.displayName = "team" }), ("description", "Welcome", { $0.description = "Welcome" }),
            ("image", "data:image/png;base64,BB==", { $0.image = ImageData("data:image/png;base64,BB==") }),
            (
                "groupPreferences", "",
                {
                    $0.groupPreferences?.set(.files, .off)
                    $0.groupPreferences?.setTimedMessages(.off, ttl: nil)
                }
            ),
            ("memberAdmission", ["captcha": "all"], { $0.memberAdmission = GroupMemberAdmission(review: nil).keepingUnknownMembers(of: $0.memberAdmission) }),
        ]
        for (name, value, change) in changes {
            if name == "groupPreferences" {
                var preferences = expected[name]?.objectValue
                preferences?["files"] = ["enable": "off", "maxSize": 5]
                preferences?["timedMessages"] = ["enable": "off", "later": ["since": 1]]
                expected[name] = preferences.map(JSONValue.object)
            } else {
                expected[name] = value
            }
            let (_, effects) = try await scene.memory.run { transaction in
                let user = try transaction.user()
                let group = try transaction.conversations.group(RuleScene.group, of: user)
                var profile = group.groupProfile
                change(&profile)
                return try transaction.groups.update(group, to: profile, of: user)
            }
            // The members get it, and the store has it.
            let sent = effects.sent.map { $0.parameters["groupProfile"] }
            #expect(!sent.isEmpty && sent.allSatisfy { $0 == .object(expected) }, "\(name)")
            #expect(try await scene.group().groupProfile.json == .object(expected), "\(name)")
        }
        try await scene.close()
    }

    @Test("of a member is passed on to other members, but the name by which it is reached only where members may write to each other")
    func memberProfile() async throws {
        let (scene, olga, bob) = try await owned()
        let profile = #"{"displayName":"bob","fullName":"","badge":{"type":"supporter","proof":"AA"},"contactDomain":{"domain":"bob"},"later":[1]}"#
        try await scene.receive([.info(try Profile(parsing: profile))], from: .member(bob))
        func introduced() async throws -> JSONObject {
            try await scene.run { transaction in
                let user = try transaction.user()
                let group = try transaction.conversations.group(RuleScene.group, of: user)
                return MemberInfo(try transaction.conversations.member(bob, in: group), in: group).profile.unknownMembers
            }
        }
        let kept: JSONObject = ["badge": ["type": "supporter", "proof": "AA"], "later": [1]]
        #expect(try await introduced() == kept, "direct messages are off")
        var preferences = GroupPreferences()
        preferences.set(.directMessages, .on)
        try await scene.receive([.groupPreferences(preferences)], from: .member(olga))
        var all = kept
        all["contactDomain"] = ["domain": "bob"]
        #expect(try await introduced() == all)
        // A change of it alone is a change.
        let told = try await scene.receive([.info(try Profile(parsing: #"{"displayName":"bob","fullName":"","later":[2]}"#))], from: .member(bob)).events
        #expect(told.types.contains("groupMemberUpdated"))
        #expect(try await introduced() == ["later": [2]])
        try await scene.close()
    }

    @Test("of a contact is stored, and members of groups see of it what newer clients show them")
    func contactProfile() async throws {
        let scene = try await RuleScene()
        let ann = try await scene.addContact("ann")
        let profile = #"{"displayName":"ann","fullName":"","badge":{"x":1},"description":"d","contactDomain":{"domain":"ann"},"phone":"1"}"#
        try await scene.receive([.info(try Profile(parsing: profile))], from: .contact(ann))
        let stored = try await scene.run { transaction in try transaction.conversations.contact(ann, of: try transaction.user()).profile }
        #expect(stored.unknownMembers == ["badge": ["x": 1], "description": "d", "contactDomain": ["domain": "ann"], "phone": "1"])
        #expect(stored.published.redacted(for: nil, role: .member, isOfMember: false).unknownMembers == ["badge": ["x": 1], "description": "d"])
        try await scene.close()
    }

    @Test("of an announced member stays with it when it is passed on to others")
    func announcement() async throws {
        let (scene, olga, _) = try await owned()
        let id = MemberID(Bytes(repeating: 9, count: 12))
        var info = MemberInfo(memberID: id, role: .member, versions: ChatVersions.supported, profile: Profile(displayName: "carl", fullName: ""))
        info.unknownMembers = ["rank": 3]
        try await scene.receive([.newMember(info, scope: nil)], from: .member(olga))
        let kept = try await scene.run { transaction in
            let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
            return try transaction.db.members.find(id, group: group.groupID).map { try transaction.info(of: $0, in: group).unknownMembers }
        }
        #expect(kept == ["rank": 3])
        try await scene.close()
    }

    @Test("claims no verification: a badge has the status of an unknown key, whatever the peer writes")
    func claimedVerification() async throws {
        let scene = try await RuleScene()
        let ann = try await scene.addContact("ann"), bob = try await scene.addContact("bob")
        let info = #"{"badgeType":"legend","badgeExtra":""}"#
        let claims = #""localBadge":{"badge":\#(info),"status":"active"},"contactDomainVerified":true"#
        for (contact, profile) in [
            (ann, #"{"displayName":"ann","fullName":"","badge":{"badgeInfo":\#(info),"proof":"AA"},\#(claims)}"#),
            (bob, #"{"displayName":"bob","fullName":"",\#(claims)}"#),
        ] {
            try await scene.receive([.info(try Profile(parsing: profile))], from: .contact(contact))
        }
        func shown(_ contact: ContactID) async throws -> JSONValue? {
            let found = try await scene.run { transaction in try transaction.conversations.contact(contact, of: try transaction.user()) }
            return try found.json(for: .v70)["profile"]
        }
        #expect(try await shown(ann)?["localBadge"] == ["badge": try JSONValue(parsing: info), "status": "unknownKey"])
        #expect(try await shown(bob)?["localBadge"] == nil)
        for contact in [ann, bob] { #expect(try await shown(contact)?["contactDomainVerified"] == nil) }
        try await scene.close()
    }

    @Test("takes the place of nothing that is known of the profile here")
    func localNames() throws {
        let profile = try Profile(parsing: #"{"displayName":"ann","fullName":"","localAlias":"boss","profileId":1}"#)
        let local = LocalProfile(profile, id: 7, alias: "")
        #expect(local.jsonText == #"{"profileId":7,"displayName":"ann","fullName":"","localAlias":""}"#)
        #expect(local.published == profile)
    }
}
