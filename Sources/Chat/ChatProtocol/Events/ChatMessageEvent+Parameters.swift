extension ChatMessageEvent {
    /// The parameters of an event that is sent as JSON, in a fixed order; none for the binary event.
    public var parameters: JSONObject {
        guard case .forwardMessage(let forward, let message) = self else { return plainParameters }
        var object = JSONObject()
        forward.add(message, to: &object)
        return object
    }

    /// The parameters of an event without a message inside. They are made by a function of their own, because the frame of this one is large, and messages
    /// may be inside each other.
    private var plainParameters: JSONObject {
        var object = JSONObject()
        switch self {
        case .newMessage(let container): return container.members
        case .unknown(_, let parameters): return parameters
        case .messageDeleted, .deleteContact, .leaveGroup, .deleteGroup, .ok, .fileChunk, .forwardMessage: break
        case .fileDescription(let messageID, let description):
            object.add("msgId", messageID)
            object.add("fileDescr", description)
        case .updateMessage(let update): return update.members
        case .deleteMessage(let deletion): return deletion.members
        case .react(let change): return change.members
        case .file(let invitation): object.add("file", invitation)
        case .acceptFile(let name): object.add("fileName", name)
        case .acceptFileInvitation(let messageID, let request, let name):
            object.add("msgId", messageID)
            object.add("fileConnReq", request)
            object.add("fileName", name)
        case .cancelFile(let messageID): object.add("msgId", messageID)
        case .info(let profile), .groupLinkMember(let profile): object.add("profile", profile)
        case .contact(let request): request.add(to: &object)
        case .member(let profile, let memberID, let key, let relay):
            object.add("profile", profile)
            object.add("newMemberId", memberID)
            object.add("newMemberKey", key)
            object.add("viaRelay", relay)
        case .groupInvitation(let invitation): object.add("groupInvitation", invitation)
        case .groupLinkInvitation(let invitation): object.add("groupLinkInvitation", invitation)
        case .groupLinkRejection(let rejection): object.add("groupLinkRejection", rejection)
        case .groupLinkAcceptance(let acceptance, let role, let memberID):
            object.add("acceptance", acceptance)
            object.add("role", role)
            object.add("memberId", memberID)
        case .groupRelayInvitation(let invitation): object.add("groupRelayInvitation", invitation)
        case .acceptGroupRelay(let link, let capabilities):
            object.add("relayLink", link)
            if capabilities != RelayCapabilities() { object.add("relayCap", capabilities) }
        case .newGroupRelay(let link): object.add("relayLink", link)
        case .rejectGroupRelay(let reason): object.add("reason", reason)
        case .groupRelayCapabilities(let capabilities): object.add("relayCap", capabilities)
        case .groupRoster(let roster): return roster.members
        case .acknowledgeRoster(let version, let error):
            object.add("version", version)
            object.add("error", error)
        case .requestRoster(let version): object.add("version", version)
        case .testGroupRelay(let challenge, let signature):
            object.add("challenge", challenge)
            object.add("signature", signature)
        case .acceptGroup, .newMember, .introduceMember, .inviteMember, .forwardMemberInvitation, .memberInfo, .memberRole,
            .restrictMember, .memberConnected, .memberConnectedToAll, .removeMember:
            addMemberParameters(to: &object)
        case .groupInfo(let profile): object.add("groupProfile", profile)
        case .groupPreferences(let preferences): object.add("groupPreferences", preferences)
        case .groupDirectInvitation(let request, let content, let scope):
            object.add("connReq", request)
            object.add("content", content)
            object.add("scope", scope)
        case .probe(let probe), .confirmProbe(let probe): object.add("probe", probe)
        case .checkProbe(let hash): object.add("probeHash", hash)
        case .callInvitation, .callOffer, .callAnswer, .callExtra, .endCall: addCallParameters(to: &object)
        }
        return object
    }

    private func addMemberParameters(to object: inout JSONObject) {
        switch self {
        case .newMember(let info, let scope):
            object.add("memberInfo", info)
            object.add("scope", scope)
        case .introduceMember(let info, let restrictions):
            object.add("memberInfo", info)
            object.add("memberRestrictions", restrictions)
        case .inviteMember(let memberID, let invitation):
            object.add("memberId", memberID)
            object.add("memberIntro", invitation)
        case .forwardMemberInvitation(let info, let invitation):
            object.add("memberInfo", info)
            object.add("memberIntro", invitation)
        case .memberInfo(let memberID, let profile):
            object.add("memberId", memberID)
            object.add("profile", profile)
        case .memberRole(let memberID, let role, let key, let rosterVersion):
            object.add("memberId", memberID)
            object.add("role", role)
            object.add("memberKey", key)
            object.add("rosterVersion", rosterVersion)
        case .restrictMember(let memberID, let restrictions):
            object.add("memberId", memberID)
            object.add("memberRestrictions", restrictions)
        case .acceptGroup(let memberID), .memberConnected(let memberID), .memberConnectedToAll(let memberID):
            object.add("memberId", memberID)
        case .removeMember(let memberID, let withMessages, let rosterVersion):
            object.add("memberId", memberID)
            if withMessages { object.add("messages", true) }
            object.add("rosterVersion", rosterVersion)
        default: break
        }
    }

    private func addCallParameters(to object: inout JSONObject) {
        switch self {
        case .callInvitation(let id, let invitation):
            object.add("callId", id)
            object.add("invitation", invitation)
        case .callOffer(let id, let offer):
            object.add("callId", id)
            object.add("offer", offer)
        case .callAnswer(let id, let session):
            object.add("callId", id)
            object.add("answer", JSONObject([("rtcSession", session.json)]))
        case .callExtra(let id, let info):
            object.add("callId", id)
            object.add("extra", JSONObject([("rtcExtraInfo", info.json)]))
        case .endCall(let id): object.add("callId", id)
        default: break
        }
    }
}

extension ContactRequest {
    fileprivate func add(to object: inout JSONObject) {
        object.add("profile", profile)
        object.add("contactReqId", requestID)
        object.add("welcomeMsgId", welcomeMessageID)
        object.add("msgId", message?.messageID)
        object.add("content", message?.content)
    }
}

extension MessageForward {
    fileprivate func add(_ message: ChatMessage, to object: inout JSONObject) {
        if case .member(let memberID, let name) = sender {
            object.add("memberId", memberID)
            object.add("memberName", name)
        }
        object.add("msg", message)
        object.add("msgTs", brokerTimestamp)
    }
}
