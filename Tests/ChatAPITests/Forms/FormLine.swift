import ChatAPI
import ChatProtocol
import Testing
import TranscriptSupport

/// A form of a tagged value in one line: the tag, then its members in their order. Those with `?` may be absent, and those with `=` have a default then.
struct FormLine: Sendable, CustomTestStringConvertible {
    let tag: String
    let members: [(name: String, mark: Character?)]

    init(_ line: String) {
        var words = line.split(separator: " ").map(String.init)
        tag = words.removeFirst()
        members = words.map { word in
            guard let mark = word.last, "?=".contains(mark) else { return (word, nil) }
            return (String(word.dropLast()), mark)
        }
    }

    var testDescription: String { tag }

    /// The form with values that fit its members.
    func json() throws -> JSONValue {
        var object: [(String, JSONValue)] = [("type", .string(tag))]
        for member in members { object.append((member.name, try SampleValue.of(member.name))) }
        return .object(JSONObject(object))
    }

    /// Reads and writes the form for programs of 6.5, whose recordings the values come from; then takes away one member after another. What lacks something is kept whole.
    ///
    /// - Returns: the value that was read.
    @discardableResult func check<Form: JSONTagged & Equatable>(_ type: Form.Type, sourceLocation: SourceLocation = #_sourceLocation) throws -> Form {
        let json = try json()
        let value = try Form(json: json)
        #expect(value != Form.other(tag: tag, json: json), "it is known", sourceLocation: sourceLocation)
        #expect(try value.json(for: .v65) == json, sourceLocation: sourceLocation)
        #expect(try value.json(for: .v65).objectValue?.keys == json.objectValue?.keys, "members have their order", sourceLocation: sourceLocation)
        #expect(value.jsonText == value.json.text, sourceLocation: sourceLocation)
        #expect(value.tag == tag, sourceLocation: sourceLocation)
        var more = json.objectValue ?? JSONObject()
        more["added later"] = [1]
        #expect(try Form(json: .object(more)) == value, "unknown members are dropped", sourceLocation: sourceLocation)
        for member in members {
            for absent: JSONValue? in [nil, .null] {
                var less = json.objectValue ?? JSONObject()
                less[member.name] = absent
                let other = Form.other(tag: tag, json: .object(less))
                let read = try Form(json: .object(less))
                // In place of a tagged value null is a form that is not known, and kept in its place.
                if member.mark == nil { #expect(try read.json(for: .v65) == .object(less), "without \(member.name)", sourceLocation: sourceLocation) }
                if absent == nil || member.mark != nil {
                    #expect((read == other) == (member.mark == nil), "without \(member.name)", sourceLocation: sourceLocation)
                }
                if member.mark == "?" { #expect(read.json[member.name] == nil, sourceLocation: sourceLocation) }
                if member.mark == "=" { #expect(read.json[member.name] != nil, sourceLocation: sourceLocation) }
            }
        }
        return value
    }
}

/// Values for members by their names: those of recorded frames, or made up where nothing was recorded.
enum SampleValue {
    static func of(_ name: String) throws -> JSONValue {
        if let value = fixed[name] { return value }
        if let value = try recorded.get()[aliases[name] ?? name] { return value }
        throw MissingSample(name: name)
    }

    struct MissingSample: Error { let name: String }

    /// Members that hold what is recorded under another name.
    private static let aliases = [
        "newUser": "user", "fromGroup": "groupInfo", "toGroup": "groupInfo", "groupInfo_": "groupInfo", "hostMember": "member", "blockedByMember": "member",
        "announcingMember": "member", "unknownMember": "member", "announcedMember": "member", "groupMember": "member", "intoContact": "contact",
        "mergedContact": "contact", "updatedContact": "contact", "fromContact": "contact", "connection": "activeConn", "entityConnection": "activeConn",
        "customUserProfile": "toProfile", "connectionEntity": "connectionEntity_", "fromProfile": "toProfile", "profile": "toProfile", "chatItem_": "chatItem",
    ]

    private static let fixed: [String: JSONValue] = [
        // Numbers
        "userId": 5, "contactId": 5, "groupId": 5, "fileId": 5, "groupMemberId": 5, "contactRequestId": 5, "noteFolderId": 5, "itemId": 5, "profileId": 5,
        "connId": 5, "groupMemberIndex": 5, "remoteHostId": 5, "remoteCtrlId": 5, "groupRelayId": 5, "taskId": 5, "jobId": 5, "authorGroupMemberId": 6,
        "forwardedByGroupMemberId": 7, "successes": 3, "failures": 0, "duration": 60, "msgCount": 2, "attempts": 9, "msgId": 8, "filesCount": 2, "data": 4,
        // Texts
        "agentConnId": "AQID", "agentSndFileId": "AQID", "agentRcvFileId": "AQID", "sharedMsgId": "AQID", "memberId": "AQID", "contactName": "bob",
        "groupMemberName": "bob", "message": "why", "text": "why", "filePath": "/a b", "dbFile": "/a.db", "serverProtocol": "smp", "errContext": "work",
        "currentCallState": "ended", "protocol": "smp", "transportHost": "a.example", "errorMessage": "why", "response": "{}", "status": "new",
        "importError": "why", "fileError": "why", "file": "/a", "redirectError": "why", "fileIOError": "why", "linkErr": "why", "queueErr": "why",
        "respErr": "why", "tlsError": "why", "subscribeError": "why", "serverAddress": "smp://k@a.example", "proxyServer": "smp://p", "relayServer": "smp://r",
        "server": "a.example", "internalErr": "why", "criticalErr": "why", "storeErr": "why", "responseStr": "?", "sndError": "why", "parseError": "why",
        "subError": "why", "connError": "why", "duplicateChatRelay": "a", "duplicateAddress": "https://a.example/r#k",
        // Words
        "initialRole": "owner", "direction": "snd", "inactive": true, "setShowMessages": false, "pqEnabled": true, "enabled": true, "preset": true,
        "offerRestart": false, "deleteMode": "broadcast", "feature": "voice", "groupFeature": "files", "msgDecryptError": "ratchetHeader",
        "groupRejectionReason": "long_name", "handshakeErr": "IDENTITY", "unknownServers": ["a.example", "b.example"],
        // Times
        "timestamp": "2024-05-06T07:08:09.5Z", "itemTs": "2024-05-06T07:08:09Z", "expiresAt": "2024-05-06T07:08:09Z",
        // Values without a type of their own
        "msgMeta": ["a": 1], "messageData": "data", "rcvFileTransfer": ["fileId": 1], "fileTransferMeta": ["fileId": 1], "callInvitation": ["a": [.null]],
        "contactSubscriptions": [1, "x"], "rhKey": ["type": "new"], "remoteHostError": ["type": "busy"], "remoteCtrlError": ["type": "busy"],
        "rcpErr": ["type": "ctrlAuth"],
        // Forms inside forms
        "agentError": ["type": "INACTIVE"], "smpErr": ["type": "AUTH"], "ntfErr": ["type": "QUOTA"], "xftpErr": ["type": "DIGEST"], "fileErr": ["type": "SIZE"],
        "proxyErr": ["type": "NO_SESSION"], "protocolErr": ["type": "AUTH"], "responseErr": ["type": "BLOCK"], "brokerErr": ["type": "TIMEOUT"],
        "cryptoErr": ["type": "RATCHET_SYNC"], "transportErr": ["type": "version"], "networkError": ["type": "failedError"], "cmdErr": ["type": "SYNTAX"],
        "blockInfo": ["reason": "spam"], "srvError": ["type": "host"], "rcvFileError": ["type": "auth"], "sndFileError": ["type": "noFile"],
        "rcvMsgError": ["type": "dropped", "attempts": 3], "e2eeInfo": ["public": false, "pqEnabled": true], "msgContent": ["type": "text", "text": "hi"],
        "userContact": ["userContactLinkId": 1, "connReqContact": "simplex:/contact#/?v=1", "groupId": 2],
        "addRelayResults": [["relay": relay]],
        "events": [quarantined], "event": quarantined,
    ]

    private static let relay: JSONValue = [
        "address": "https://a.example/r#k", "relayProfile": ["displayName": "a", "fullName": ""], "domains": [], "preset": false, "enabled": true,
        "deleted": false,
    ]
    private static let quarantined: JSONValue = [
        "quarantineId": 1, "kind": "message", "agentConnId": "AQID", "size": 100, "quarantinedAt": "2024-05-06T07:08:09Z",
    ]

    /// What tells objects from others that stand under the same name: an item with its chat from an item, a member from the reference to one.
    private static let needed = ["chatItem": "chatInfo", "member": "memberProfile"]

    /// The first object or list of objects that stands under each name in the recorded frames.
    private static let recorded = Result { () throws -> [String: JSONValue] in
        var values: [String: JSONValue] = [:]
        func walk(_ value: JSONValue) {
            for (name, member) in value.objectValue?.members ?? [] {
                let object = member.objectValue ?? member[0]?.objectValue
                if values[name] == nil, let object, needed[name].map({ object[$0] != nil }) ?? true { values[name] = member }
                walk(member)
            }
            for element in value.arrayValue ?? [] { walk(element) }
        }
        for name in Transcript.names {
            for line in try Transcript.load(name).lines where line.direction != .command { walk(line.body) }
        }
        return values
    }
}
