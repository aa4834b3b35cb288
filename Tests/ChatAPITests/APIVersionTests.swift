import ChatAPI
import ChatProtocol
import Testing
import TranscriptSupport

/// Where the versions of the API differ, programs of each version get its members.
@Suite struct APIVersionTests {
    @Test func versionsAreNamedAndOrdered() {
        for version in APIVersion.allCases { #expect(APIVersion(name: version.name) == version) }
        for name in ["", "6", "6.50", "7", "7.0 ", "v7.0", "8.0"] { #expect(APIVersion(name: name) == nil) }
        #expect(APIVersion.v65 < .v70Beta && .v70Beta < .v70 && APIVersion.newest == .v70 && APIVersion.range == "6.5-7.0")
    }

    /// The first item of a recorded conversation, with that signature.
    private func item(_ members: JSONObject) throws -> ItemInChat {
        let recorded = try SampleValue.of("chatItem")
        var object = try #require(recorded.objectValue)
        var item = try #require(object["chatItem"]?.objectValue)
        var meta = try #require(item["meta"]?.objectValue)
        (meta["msgSigned"], meta["msgVerified"]) = (nil, nil)
        for (name, value) in members.members { meta[name] = value }
        item["meta"] = .object(meta)
        object["chatItem"] = .object(item)
        return try ItemInChat(json: .object(object))
    }

    @Test(
        "the signature of a message is msgSigned for programs of 6.5 and msgVerified for those of 7.0",
        arguments: [
            ([:], .unsigned, nil, nil),
            (["msgSigned": "verified"], .signed(.verified), "verified", ["type": "signed", "sigStatus": "verified"]),
            (["msgSigned": "signedNoKey"], .signed(.signedNoKey), "signedNoKey", ["type": "signed", "sigStatus": "signedNoKey"]),
            (["msgSigned": "later"], .signed(SignatureStatus(rawValue: "later")), "later", ["type": "signed", "sigStatus": "later"]),
            (["msgVerified": ["type": "signed", "sigStatus": "verified"]], .signed(.verified), "verified", ["type": "signed", "sigStatus": "verified"]),
            (["msgVerified": ["type": "sigMissing"]], .signatureMissing, nil, ["type": "sigMissing"]),
            (["msgVerified": ["type": "later", "x": 1]], .other(["type": "later", "x": 1]), nil, ["type": "later", "x": 1]),
            (["msgVerified": nil, "msgSigned": nil], .unsigned, nil, nil),
        ] as [(JSONObject, MessageVerification, JSONValue?, JSONValue?)])
    func signatures(members: JSONObject, verification: MessageVerification, signed: JSONValue?, verified: JSONValue?) throws {
        let item = try item(members)
        #expect(item.chatItem.meta.verification == verification)
        for version in APIVersion.allCases {
            let meta = try ChatEvent.newChatItems(user: Self.user(), chatItems: [item]).json(for: version)["chatItems"]?[0]?["chatItem"]?["meta"]
            #expect(meta?["msgSigned"] == (version < .v70 ? signed : nil), "\(version)")
            #expect(meta?["msgVerified"] == (version < .v70 ? nil : verified), "\(version)")
        }
    }

    @Test func aBrokenSignatureIsRefused() {
        for members: JSONObject in [["msgVerified": "signed"], ["msgVerified": ["type": "signed"]], ["msgSigned": 1]] {
            #expect(throws: (any Error).self) { try item(members) }
        }
    }

    private static func user() throws -> User { try User(json: SampleValue.of("user")) }

    /// The value at a path of names.
    private func value(_ names: String, in json: JSONValue) -> JSONValue? {
        names.split(separator: ".").reduce(json) { value, name in Int(name).map { value?[$0] } ?? value?[String(name)] }
    }

    @Test("a profile is that of a service for programs of 7.0, wherever it is in a frame")
    func services() throws {
        var user = try Self.user()
        user.isClientService = true
        let frames: [(any JSONConvertible, String)] = [
            (ChatResponse.activeUser(user: user), "user"), (ChatResponse.cmdOk(user: user), "user_"),
            (ChatResponse.usersList(users: [UserInfo(user: user)]), "users.0.user"), (ChatResponse.chatItemID(user: user, chatItemID: nil), "data.0"),
        ]
        for (frame, path) in frames {
            for version in APIVersion.allCases {
                let written = try value(path, in: frame.json(for: version))
                #expect(written?["userId"] != nil, "\(path)")
                #expect(written?["clientService"] == (version < .v70Beta ? nil : true), "\(path) \(version)")
            }
        }
        #expect(try User(json: user.json(for: .v65)).isClientService == false)
        #expect(try User(json: user.json(for: .v70)) == user)
    }

    @Test("groups have a roster version from 7.0 on, and the preference for signatures from the release on")
    func groups() throws {
        var group = try GroupInfo(json: SampleValue.of("groupInfo"))
        group.rosterVersion = RosterVersion(rawValue: 3)
        group.fullGroupPreferences.signMessages.enable = .on
        for version in APIVersion.allCases {
            let json = try ChatResponse.groupsList(user: Self.user(), groups: [group]).json(for: version)["groups"]?[0]
            #expect(json?["rosterVersion"] == (version < .v70Beta ? nil : 3))
            #expect(json?["fullGroupPreferences"]?["signMessages"] == (version < .v70 ? nil : ["enable": "on"]))
        }
        #expect(try GroupInfo(json: group.json(for: .v70)) == group)
        #expect(FullGroupPreferences(group.fullGroupPreferences.preferences) == group.fullGroupPreferences)
    }

    @Test("abilities of a relay are there from 7.0 on, empty if it has told none")
    func relays() throws {
        let relay: JSONValue = [
            "groupRelayId": 1, "groupMemberId": 2, "relayStatus": "active",
            "userChatRelay": [
                "address": "https://a.example/r#k", "relayProfile": ["displayName": "a", "fullName": ""], "domains": [], "preset": false, "enabled": true,
                "deleted": false,
            ],
        ]
        #expect(try GroupRelay(json: relay).json(for: .v65) == relay)
        #expect(try GroupRelay(json: relay).json(for: .v70)["relayCap"] == [:])
    }

    @Test("a contact request has the profile as it was published for programs of 6.5, and as it is stored for those of 7.0")
    func requests() throws {
        let published: JSONObject = ["displayName": "ann", "fullName": "Ann", "badge": ["x": 1]]
        let request: JSONObject = [
            "contactRequestId": 1, "agentInvitationId": "AQID", "cReqChatVRange": ["minVersion": 1, "maxVersion": 19], "localDisplayName": "ann_1",
            "profileId": 7, "profile": .object(published), "createdAt": "2024-05-06T07:08:09Z", "updatedAt": "2024-05-06T07:08:09Z", "pqSupport": true,
        ]
        var stored = published
        (stored["profileId"], stored["localAlias"]) = (7, "")
        let read = try UserContactRequest(json: .object(request))
        #expect(read.profile.profileID == 7 && read.profile.displayName == "ann")
        #expect(try read.json(for: .v65) == .object(request))
        #expect(try read.json(for: .v70)["profile"] == .object(stored))
        #expect(try UserContactRequest(json: read.json(for: .v70)) == read)
        var broken = request
        broken["profile"] = ["fullName": "x"]
        #expect(throws: JSONError.self) { try UserContactRequest(json: .object(broken)) }
    }

    @Test("the transfer of a received file says from 7.0 on what the file is for, and keeps what else it has")
    func transfers() throws {
        let transfer = ReceivedFileTransfer(["fileId": 1, "fileStatus": ["type": "new"]], type: .roster)
        #expect(try transfer.json(for: .v65) == ["fileId": 1, "fileStatus": ["type": "new"]])
        #expect(try transfer.json(for: .v70) == ["fileId": 1, "fileStatus": ["type": "new"], "fileType": "roster"])
        #expect(try ReceivedFileTransfer(json: transfer.json(for: .v70)) == transfer)
    }

    @Test("the state of a transfer is without the purpose of the file for programs of 6.5, too")
    func transferStates() throws {
        let state = FileTransferState(json: [["type": "rcv", "rcvFileTransfer": ["fileId": 1, "fileType": "normal"]], [2]])
        let response = ChatResponse.fileTransferStatus(user: try Self.user(), status: state)
        #expect(try response.json(for: .v65)["data"]?[1] == [["type": "rcv", "rcvFileTransfer": ["fileId": 1]], [2]])
        #expect(try response.json(for: .v70)["data"]?[1] == state.json)
        let sent = FileTransferState(json: [["type": "snd", "fileTransferMeta": ["fileType": "x"]], []])
        #expect(try sent.json(for: .v65) == sent.json)
    }

    @Test("a value in an error has the members of the version too")
    func errors() throws {
        var group = try GroupInfo(json: SampleValue.of("groupInfo"))
        group.rosterVersion = RosterVersion(rawValue: 3)
        let result = ChatResult.error(.chat(error: .groupUserRole(groupInfo: group, requiredRole: .owner)))
        for version in APIVersion.allCases {
            let error = try result.json(for: version)["chatError"]?["errorType"]
            #expect(error?["groupInfo"]?["groupId"] != nil)
            #expect(error?["groupInfo"]?["rosterVersion"] == (version < .v70Beta ? nil : 3))
            let frame = try JSONValue(parsing: SocketMessage.result(correlationID: "1", result).frame(for: version))
            #expect(frame["resp"] == (try result.json(for: version)))
        }
    }

    @Test("texts that are remembered are those of one version")
    func remembering() throws {
        let message = SocketMessage.event(.newChatItems(user: try Self.user(), chatItems: [try item(["msgSigned": "verified"])]))
        for version in APIVersion.allCases {
            var memory = JSONWriter.Memory(for: version)
            for _ in 0..<3 { #expect(message.frame(remembering: &memory) == message.frame(for: version)) }
            #expect(memory.version == version)
        }
    }

    @Test("a new profile needs userChatRelay in 6.5 only, and may be that of a service")
    func newProfiles() throws {
        let short = #"/_create user {"profile":{"displayName":"bob","fullName":""},"pastTimestamp":true}"#
        #expect(throws: ChatError.notACommand) { try ChatCommand(parsing: short, for: .v65) }
        let profile = Profile(displayName: "bob", fullName: "")
        for version in [APIVersion.v70Beta, .v70] {
            #expect(try ChatCommand(parsing: short, for: version) == .users(.create(NewUser(profile: profile, pastTimestamp: true))))
        }
        let service = #"/_create user {"profile":{"displayName":"bob","fullName":""},"pastTimestamp":false,"userChatRelay":false,"clientService":true}"#
        for version in APIVersion.allCases {
            guard case .users(.create(let new)) = try ChatCommand(parsing: service, for: version) else { throw SampleValue.MissingSample(name: "create") }
            #expect(new.isClientService == true && ChatCommand.users(.create(new)).commandString == service)
        }
    }
}
