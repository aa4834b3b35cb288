import ChatAPI
import ChatProtocol
import Testing
import TranscriptSupport

/// Responses and events that no recorded frame has: their tags and members are those of the official clients.
@Suite struct UnrecordedFrameTests {
    @Test(
        arguments: [
            "groupMemberSwitchStarted user groupInfo member connectionStats", "contactSwitchAborted user contact connectionStats",
            "groupMemberSwitchAborted user groupInfo member connectionStats", "groupMemberRatchetSyncStarted user groupInfo member connectionStats",
            "broadcastSent user msgContent successes failures timestamp", "publicGroupCreationFailed user addRelayResults",
            "groupRelaysAdded user groupInfo groupLink groupRelays", "groupRelaysAddFailed user addRelayResults",
            "groupUserChanged user fromGroup newUser toGroup", "sentInvitationToContact user contact customUserProfile?",
            "rcvFileAcceptedSndCancelled user rcvFileTransfer", "ntfTokenStatus status", "quarantine events", "quarantineRetried event",
            "quarantineDropped event",
        ].map(FormLine.init)) func responses(line: FormLine) throws
    {
        let response = try line.check(ChatResponse.self)
        #expect(response.user?.json == response.json["user"])
        #expect(try ChatResult(json: response.json) == .response(response))
    }

    @Test(
        arguments: [
            "groupMemberSwitch user groupInfo member switchProgress", "groupMemberRatchetSync user groupInfo member ratchetSyncProgress",
            "contactPQEnabled user contact pqEnabled", "chatItemDeletedNotFound user contact sharedMsgId", "contactAnotherClient user contact",
            "contactsMerged user intoContact mergedContact updatedContact", "contactRequestAlreadyAccepted user contact",
            "businessRequestAlreadyAccepted user groupInfo", "contactSubSummary user contactSubscriptions", "contactDisabled user contact",
            "subscriptionEnd user connectionEntity", "connectionDisabled connectionEntity", "connectionInactive connectionEntity inactive",
            "hostConnected protocol transportHost",
            "hostDisconnected protocol transportHost", "businessLinkConnecting user groupInfo hostMember fromContact",
            "unknownMemberBlocked user groupInfo blockedByMember member",
            "unknownMemberAnnounced user groupInfo announcingMember unknownMember announcedMember", "noMemberContactCreating user groupInfo member",
            "rcvFileError user chatItem_? agentError rcvFileTransfer", "rcvFileWarning user chatItem_? agentError rcvFileTransfer",
            "sndFileError user chatItem_? fileTransferMeta errorMessage", "sndFileWarning user chatItem_? fileTransferMeta errorMessage",
            "callInvitation callInvitation", "callEnded user contact",
        ].map(FormLine.init)) func events(line: FormLine) throws
    {
        let event = try line.check(ChatEvent.self)
        #expect(event.user?.json == event.json["user"])
        #expect(try SocketMessage(frame: SocketMessage.event(event).frame) == .event(event))
    }

    @Test(
        arguments: [
            "groupLinkRejected user groupInfo groupRejectionReason", "rejectingGroupJoinRequestMember user groupInfo member groupRejectionReason",
            "contactVerificationReset user contact", "groupMemberVerificationReset user groupInfo member",
        ].map(FormLine.init)) func eventsForTerminals(line: FormLine) throws
    {
        let event = ChatEvent.terminalEvent(event: try line.check(TerminalEvent.self))
        #expect(try event.json(for: .v65) == ["type": "terminalEvent", "data": try line.json()])
        #expect(event.user?.json == event.json["data"]?["user"])
    }

    @Test(
        arguments: [
            "sndDeleted deleteMode", "rcvDeleted deleteMode", "sndCall status duration", "rcvCall status duration",
            "rcvDecryptionError msgDecryptError msgCount",
            "rcvMsgError rcvMsgError", "rcvChatFeatureRejected feature", "rcvGroupFeatureRejected groupFeature", "sndModerated", "rcvModerated", "rcvBlocked",
            "sndDirectE2EEInfo e2eeInfo",
        ].map(FormLine.init)) func contentsOfItems(line: FormLine) throws
    {
        #expect(try line.check(ItemContent.self).messageContent == nil)
    }

    @Test func statesOfFilesItemsAndConnections() throws {
        for line in ["sndWarning sndFileError", "rcvAborted", "rcvError rcvFileError", "rcvWarning rcvFileError", "invalid text"] {
            try FormLine(line).check(ItemFileStatus.self)
        }
        for line in ["sndErrorAuth", "sndWarning agentError", "invalid text"] { try FormLine(line).check(ItemStatus.self) }
        for line in ["forwarded", "inactive", "sent", "invalid text"] { try FormLine(line).check(GroupSendStatus.self) }
        for line in ["quota", "expired", "relay srvError", "proxy proxyServer srvError", "proxyRelay proxyServer srvError", "other sndError"] {
            try FormLine(line).check(SendError.self)
        }
        for line in ["noFile", "relay srvError", "other fileError"] { try FormLine(line).check(FileError.self) }
        for line in ["removed subError", "noSub"] { try FormLine(line).check(SubscriptionStatus.self) }
        for line in ["failed connError=", "sndReady"] { try FormLine(line).check(ConnectionStatus.self) }
        for line in ["msgBadId msgId", "msgDuplicate"] { try FormLine(line).check(MessageIntegrityError.self) }
        for line in ["dropped attempts", "parseError parseError"] { try FormLine(line).check(ReceivedMessageError.self) }
        for line in ["verificationCodeReset", "pqEnabled enabled"] { try FormLine(line).check(ReceivedConnectionEvent.self) }
        for line in ["memberProfileUpdated fromProfile toProfile", "msgBadSignature"] { try FormLine(line).check(ReceivedGroupEvent.self) }
    }

    @Test func whatALinkLeadsToAndWhatIsToBeConfirmed() throws {
        for line in ["connectingProhibit contact", "contactViaAddress contact"] { try FormLine(line).check(ContactAddressPlan.self) }
        try FormLine("connectingProhibit groupInfo_?").check(GroupLinkPlan.self)
        for line in ["filesInProgress filesCount", "filesMissing filesCount", "filesFailed filesCount"] { try FormLine(line).check(ForwardConfirmation.self) }
        for line in ["import importError", "fileError file fileError"] { try FormLine(line).check(ArchiveError.self) }
        for line in ["storageMissing protocol user?", "proxyMissing protocol user?", "duplicateChatRelayAddress duplicateChatRelay duplicateAddress"] {
            try FormLine(line).check(UserServersError.self)
        }
        for line in ["rcvGroupMsgConnection entityConnection groupInfo groupMember", "userContactConnection entityConnection userContact"] {
            try FormLine(line).check(ConnectionEntity.self)
        }
    }

    @Test func anExtensionAnswersWithOrWithoutAProfile() throws {
        let user = try SampleValue.of("user")
        for members: JSONObject in [["response": "x"], ["user_": user, "response": "x"]] {
            var (event, response) = (members, members)
            event["type"] = "customChatEvent"
            response["type"] = "customChatResponse"
            #expect(try ChatEvent(json: .object(event)).user?.json(for: .v65) == members["user_"])
            #expect(try ChatEvent(json: .object(event)).json(for: .v65) == .object(event))
            #expect(try ChatResponse(json: .object(response)).user?.json(for: .v65) == members["user_"])
            #expect(try ChatResponse(json: .object(response)).json(for: .v65) == .object(response))
        }
    }
}

/// What every recorded frame must keep to.
@Suite struct RecordedFrameTests {
    /// In the official API the profile of a frame stands under `user`, under `user_` where there may be none, or before values without names.
    @Test(arguments: Transcript.names) func theProfileOfAFrameIsTheOneInItsJSON(name: String) throws {
        for line in try Transcript.load(name).lines {
            let expected = line.body["user"] ?? line.body["user_"] ?? line.body["data"]?["user"] ?? line.body["data"]?[0]
            switch line.direction {
            case .response:
                guard case .response(let response) = try ChatResult(json: line.body) else { continue }
                #expect(try response.user.map { try $0.json(for: .v65) == expected } ?? (expected == nil), "\(name):\(line.number)")
            case .event:
                let event = try ChatEvent(json: line.body)
                #expect(try event.user.map { try $0.json(for: .v65) == expected } ?? (expected == nil), "\(name):\(line.number)")
            case .command, .note: break
            }
        }
    }

    /// A core of a newer version adds members, which only the parts of chat messages keep.
    @Test(arguments: Transcript.names) func membersThatAreNotKnownChangeNothingElse(name: String) throws {
        for line in try Transcript.load(name).lines {
            switch line.direction {
            case .response:
                let later = try ChatResult(json: Self.added(line.body)), read = try ChatResult(json: line.body)
                #expect(Self.removed(later.json) == read.json, "\(name):\(line.number)")
            case .event:
                let later = try ChatEvent(json: Self.added(line.body)), read = try ChatEvent(json: line.body)
                #expect(Self.removed(later.json) == read.json, "\(name):\(line.number)")
            case .command, .note: break
            }
        }
    }

    /// Objects of these members are kept as they are, whatever is in them.
    private static let kept: Set<String> = [
        "customData", "uiThemes", "rcvFileTransfer", "fileTransferMeta", "sndFileTransfers", "redirectMeta", "rcvFileDescr", "queueInfo", "rcvMsgInfo",
        "fileMeta",
        "appSettings", "serversSummary", "subsTotal", "agentWorkersSummary", "agentWorkersDetails", "agentQueuesInfo", "agentLocks", "chatEntityLocks",
        "chatQueries", "agentQueries", "activeSubs", "pendingSubs", "removedSubs", "agentSubs", "smpWebPortServers", "contactSubscriptions", "mentions", "data",
        "callInvitations", "remoteHosts", "remoteCtrls", "suspectedMember", "chatItemTTL", "msgContent", "content", "quotedItem", "reaction", "format",
        "missingIds", "extraIds",
    ]

    private static func removed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object): return .object(JSONObject(object.members.filter { $0.key != "added later" }.map { ($0.key, removed($0.value)) }))
        case .array(let elements): return .array(elements.map(removed))
        default: return value
        }
    }

    private static func added(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            var members = object.members.map { ($0.key, kept.contains($0.key) ? $0.value : added($0.value)) }
            members.append(("added later", ["a": [1, .null]]))
            return .object(JSONObject(members))
        case .array(let elements): return .array(elements.map(added))
        default: return value
        }
    }
}
