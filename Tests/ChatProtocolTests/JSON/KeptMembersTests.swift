import Foundation
import SMPWire
import Testing

@testable import ChatProtocol

/// What newer clients add to objects of the protocol, which goes out again as it came in.
@Suite("Members that this version does not know")
struct KeptMembersTests {
    @Test("are written back at every depth of each type that is sent again", arguments: KeptType.all)
    func everyType(_ type: KeptType) throws {
        for seed in 0..<120 as Range<UInt64> {
            var source = MessageSource(seed: seed)
            let later = LaterMembers.added(to: type.sample(&source), at: type.key, from: &source)
            let (tree, text) = try type.again(later)
            guard tree == later, try JSONValue(parsing: text) == later else {
                Issue.record("seed \(seed): \(later) became \(tree)")
                return
            }
        }
    }

    @Test("of messages of every kind are passed on with them", arguments: 0..<MessageSource.kinds)
    func everyMessage(_ kind: Int) throws {
        for seed in 0..<60 as Range<UInt64> {
            var source = MessageSource(seed: seed)
            let later = LaterMembers.added(to: source.message(kind).json, from: &source)
            let received = try ReceivedChatMessage.parse(later.bytes()).map { try $0.get() }
            guard received.count == 1, try JSONValue(parsing: received[0].element) == later else {
                Issue.record("seed \(seed): \(later)")
                return
            }
        }
    }

    /// Types whose unknown members are dropped, with the reason. A new type is an `ExtensibleObject`, or has a reason here.
    private static let dropping: [String: String] = [
        "JSONConvertible": "the protocol", "JSONObjectConvertible": "the protocol", "ExtensibleObject": "the protocol", "TextCode": "a word",
        "OpenEnumeration": "a word", "OpenTextCode": "a word", "ImageData": "a text", "FormattedText": "is made here", "TextFormat": "is made here",
        "PreferenceEnabled": "is made here", "ContactUserPreferenceSource": "is made here", "ContactUserPreference": "is made here",
        "ContactUserPreferences": "is made here", "MessageScope": "an audience that is not known whole cannot be kept to",
        "MessageReaction": "equal ones are counted, and unknown ones are kept whole", "CallType": "calls are neither stored nor passed on",
        "CallCapabilities": "calls are neither stored nor passed on", "LinkContent": "is kept whole", "MessageMentions": "names are data",
        "MessageChatLink": "an enum that keeps them", "BotCommand": "an enum that keeps them",
        "ChatMessage": "keeps them by itself", "JSONValue": "any JSON", "JSONObject": "any JSON", "UTCTimestamp": "a text", "VersionRange": "a text",
        "Base64URLBytes": "a text", "RosterVersion": "a number",
    ]

    @Test("are kept by every type of the protocol, and every type is tested")
    func everyTypeIsTested() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/Chat/ChatProtocol")
        let tested = Set(KeptType.all.map(\.testDescription))
        let declaration = /(struct|enum|extension|protocol)\s+(\w+)(?:<[^{]*>)?\s*:([^{]*)\{/
        var kept: Set<String> = []
        for case let file as URL in try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)) where file.pathExtension == "swift"
        {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let text = lines.filter { !$0.hasPrefix("///") }.joined(separator: "\n")
            for match in text.matches(of: declaration) {
                let name = String(match.output.2), conformances = match.output.3
                if conformances.contains("ExtensibleObject") {
                    kept.insert(name)
                    #expect(tested.contains(name), "\(name) keeps unknown members, and KeptType.all does not test it")
                } else if conformances.contains("JSONObjectConvertible") || conformances.contains("JSONConvertible"),
                    match.output.1 == "struct" || match.output.1 == "enum"
                {
                    #expect(Self.dropping[name] != nil, "\(name) is no ExtensibleObject: it loses what newer clients add")
                }
            }
        }
        #expect(kept.count > 35)
    }

    // MARK: Hostile members

    @Test("take the place of no known one, when read or when set by a program")
    func knownNames() throws {
        let profile = try Profile(parsing: #"{"displayName":"ann","displayName":"eve","fullName":"","later":1,"later":2,"displayName":"mallory"}"#)
        #expect(profile.displayName == "ann" && profile.unknownMembers == ["later": 1])
        #expect(profile.jsonText == #"{"displayName":"ann","fullName":"","later":1}"#)
        var changed = profile
        changed.unknownMembers = ["displayName": "eve", "image": "data:,", "later": 3]
        #expect(changed.jsonText == #"{"displayName":"ann","fullName":"","later":3}"# && changed.json.text == changed.jsonText)
        var content = try MessageContent(parsing: #"{"type":"text","text":"hi","preview":{"uri":"x"},"text":"ho"}"#)
        #expect(content.unknownMembers == ["preview": ["uri": "x"]])
        content.unknownMembers = ["text": "ho", "type": "file"]
        #expect(content.jsonText == #"{"type":"text","text":"hi"}"#)
        // The form of one kind has no members of another's name when the kind changes.
        content = try MessageContent(parsing: #"{"type":"text","text":"hi","duration":3}"#)
        content.kind = .voice(text: "hi", duration: 1)
        #expect(content.jsonText == #"{"type":"voice","text":"hi","duration":1}"#)
    }

    @Test("of a message replace no parameter that the program sets")
    func parameters() throws {
        var message = try ChatMessage(parsing: #"{"v":"1-17","event":"x.grp.mem.del","params":{"memberId":"AQ==","messages":false,"later":[1]}}"#)
        #expect(message.unknownParameters == ["later": [1]])
        message.unknownParameters["messages"] = "all"
        message.event = .removeMember(memberID: MemberID([1]), withMessages: true)
        #expect(message.json["params"] == ["memberId": "AQ==", "messages": true, "later": [1]])
    }

    @Test("make a value another one, in whichever order they are")
    func equality() throws {
        let one = try Profile(parsing: #"{"displayName":"ann","fullName":"","a":1,"b":[1.0]}"#)
        let two = try Profile(parsing: #"{"b":[1],"fullName":"","a":1,"displayName":"ann"}"#)
        #expect(one == two && one.hashValue == two.hashValue)
        #expect(one != Profile(displayName: "ann"))
        #expect(try one != Profile(parsing: #"{"displayName":"ann","fullName":"","a":1,"b":[2]}"#))
    }

    @Test("are bounded as the message is: its lists, its depth and its size")
    func bounds() throws {
        func message(_ member: String) -> Bytes {
            Bytes(#"{"v":"1-17","event":"x.info","params":{"profile":{"displayName":"ann","fullName":"","later":\#(member)}}}"#.utf8)
        }
        func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        func members(_ count: Int) -> String { "{" + (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") + "}" }
        for kept in [nested(JSONParser.maximumDepth - 3), members(ChatLimits.listElements), "\"" + String(repeating: "x", count: 60_000) + "\""] {
            let received = try #require(ReceivedChatMessage.parse(message(kept)).first).get()
            let passedOn = received.element
            #expect(passedOn == message(kept))
        }
        for refused in [nested(JSONParser.maximumDepth - 2), members(ChatLimits.listElements + 1)] {
            #expect(throws: ChatProtocolError.self) { try #require(ReceivedChatMessage.parse(message(refused)).first).get() }
        }
        // Members of one object are counted together, known or not.
        let many =
            Bytes((#"{"v":"1-17","event":"x.info","params":{"profile":{"displayName":"ann","fullName":"""#.utf8))
            + Bytes((0..<ChatLimits.listElements - 1).map { ",\"m\($0)\":0" }.joined().utf8) + Bytes("}}}".utf8)
        #expect(throws: ChatProtocolError.self) { try #require(ReceivedChatMessage.parse(many).first).get() }
    }

    // MARK: Editing

    @Test("stay when a feature is set")
    func features() throws {
        let later: JSONObject = ["later": ["x": 1]]
        var chat = ChatPreferences(), group = GroupPreferences()
        for feature in ChatFeature.allCases { chat.set(feature, allow: .yes) }
        for feature in GroupFeature.allCases { group.set(feature, .on) }
        var source = MessageSource(seed: 1)
        func withLater(_ json: JSONValue) -> JSONValue {
            guard case .object(var object) = json else { return json }
            for (key, value) in object.members { object[key] = withLater(value) }
            object["later"] = later["later"]
            return .object(object)
        }
        chat = try ChatPreferences(json: withLater(chat.json))
        group = try GroupPreferences(json: withLater(group.json))
        for feature in ChatFeature.allCases { chat.set(feature, allow: .no) }
        for feature in GroupFeature.allCases { group.set(feature, .off, role: source.role()) }
        #expect(chat.json["later"] != nil && group.json["later"] != nil)
        for feature in ChatFeature.allCases { #expect(chat.json[feature.code] == ["allow": "no", "later": ["x": 1]], "\(feature)") }
        for feature in GroupFeature.allCases { #expect(group.json[feature.code]?["later"] == ["x": 1], "\(feature)") }
        // What is sent to a contact has all preferences filled in.
        #expect(FullChatPreferences(chat).preferences == FullChatPreferences(merging: chat, over: nil).preferences)
        #expect(FullChatPreferences(chat).preferences.unknownMembers == later && FullGroupPreferences(group).preferences.unknownMembers == later)
        var profile = chat
        profile.unknownMembers = ["later": 1, "other": 2]
        #expect(FullChatPreferences(merging: chat, over: profile).unknownMembers == ["later": ["x": 1], "other": 2])
    }

    @Test("of a stored value are added to one that is made anew, at every depth, and replace nothing")
    func merging() throws {
        let stored = try GroupProfile(
            parsing: """
                {"displayName":"news","fullName":"","memberAdmission":{"review":"all","later":1},"web":"a","both":1,
                "publicGroup":{"groupType":"channel","groupLink":"l","publicGroupId":"AQ==","publicGroupAccess":{"groupWebPage":"w"}},
                "groupPreferences":{"voice":{"enable":"on","later":2},"signMessages":{"enable":"on"},"files":{"enable":"off","later":3}}}
                """)
        var declared = GroupProfile(displayName: "News", groupPreferences: GroupPreferences(voice: .init(enable: .off)), memberAdmission: .init(review: nil))
        declared.unknownMembers = ["both": 2]
        #expect(
            declared.keepingUnknownMembers(of: stored).json == [
                "displayName": "News", "fullName": "", "both": 2, "web": "a", "memberAdmission": ["later": 1],
                "groupPreferences": ["voice": ["enable": "off", "later": 2], "signMessages": ["enable": "on"]],
            ])
        #expect(declared.keepingUnknownMembers(of: nil) == declared)
    }

    @Test("do not show in links and texts, unless content has them")
    func attachedTexts() throws {
        let content = try MessageContent(parsing: #"{"type":"text","text":"hi","card":{"title":"t","link":"simplex:/contact","image":"data:,"}}"#)
        #expect(Set(content.attachedTexts) == ["t", "simplex:/contact"])
        #expect(content.replacing(text: "ho").jsonText == #"{"type":"text","text":"ho","card":{"title":"t","link":"simplex:/contact","image":"data:,"}}"#)
    }
}

/// Words that this version does not know.
@Suite("Words of newer clients")
struct LaterWordTests {
    @Test("are kept in profiles, preferences, file invitations, links and menus, and give nothing")
    func kept() throws {
        let profile = """
            {"displayName":"ann","fullName":"","preferences":{"voice":{"allow":"ask"},"timedMessages":{"allow":"ask","ttl":5},\
            "commands":[{"type":"form","fields":[1]},{"type":"menu","label":"m","commands":[{"type":"form"}]}]},"peerType":"service"}
            """
        let read = try Profile(parsing: profile)
        #expect(try read.json == JSONValue(parsing: profile) && read.peerType == .unknown("service"))
        #expect(read.preferences?.voice?.allow.isAllowed == false)
        for other in FeatureAllowed.allCases + [.unknown("ask")] {
            let asked = PreferenceEnabled(user: .unknown("ask"), contact: other, isAsymmetric: true)
            #expect(asked == PreferenceEnabled(user: .no, contact: other == .unknown("ask") ? .no : other, isAsymmetric: true))
        }
        let group = """
            {"displayName":"g","fullName":"","groupPreferences":{"voice":{"enable":"paid","role":"chief"}},"memberAdmission":{"review":"new"}}
            """
        let groupProfile = try GroupProfile(parsing: group)
        #expect(try groupProfile.json == JSONValue(parsing: group))
        #expect(!FullGroupPreferences(groupProfile.groupPreferences).allows(.voice, role: .owner))
        let file = #"{"fileName":"a","fileSize":1,"fileInline":"stream"}"#
        #expect(try FileInvitation(parsing: file).jsonText == file)
        let shared = #"{"type":"chat","text":"t","chatLink":{"type":"service","connLink":"l"}}"#
        #expect(try MessageContent(parsing: shared).json == JSONValue(parsing: shared))
        #expect(FeatureAllowed(known: "ask") == nil && FeatureAllowed(known: "always") == .always)
    }
}
