extension ChatMessageEvent {
    /// Reads the parameters of an event that is sent as JSON. Unknown tags are kept; for unknown parameters see ``unknown(of:)``.
    public init(tag: ChatEventTag, parameters: JSONObject) throws(JSONError) {
        if tag == .forwardMessage {
            self = try Self.forward(parameters)
        } else if let event = try Self.message(tag, parameters) {
            self = event
        } else if let event = try Self.contactOrFile(tag, parameters) {
            self = event
        } else if let event = try Self.groupMember(tag, parameters) {
            self = event
        } else if let event = try Self.rosterOrRelay(tag, parameters) {
            self = event
        } else if let event = try Self.group(tag, parameters) {
            self = event
        } else if let event = try Self.probeOrCall(tag, parameters) {
            self = event
        } else {
            self = .unknown(tag, parameters: parameters)
        }
    }

    private static func message(_ tag: ChatEventTag, _ object: JSONObject) throws(JSONError) -> ChatMessageEvent? {
        switch tag {
        case .newMessage: return .newMessage(try MessageContainer(object: object))
        case .fileDescription:
            return .fileDescription(messageID: try object.required("msgId"), try object.required("fileDescr"))
        case .updateMessage: return .updateMessage(try MessageUpdate(object: object))
        case .deleteMessage: return .deleteMessage(try MessageDeletion(object: object))
        case .messageDeleted: return .messageDeleted
        case .react: return .react(try MessageReactionChange(object: object))
        default: return nil
        }
    }

    private static func contactOrFile(_ tag: ChatEventTag, _ object: JSONObject) throws(JSONError) -> ChatMessageEvent? {
        switch tag {
        case .file: return .file(try object.required("file"))
        case .acceptFile: return .acceptFile(name: try object.required("fileName"))
        case .acceptFileInvitation:
            return .acceptFileInvitation(
                messageID: try object.required("msgId"), connectionRequest: try object.optional("fileConnReq"),
                name: try object.required("fileName"))
        case .cancelFile: return .cancelFile(messageID: try object.required("msgId"))
        case .info: return .info(try object.required("profile"))
        case .contact:
            let messageID: SharedMessageID? = try object.optional("msgId")
            let content: MessageContent? = try object.optional("content")
            var request = ContactRequest(
                profile: try object.required("profile"), requestID: try object.optional("contactReqId"),
                welcomeMessageID: try object.optional("welcomeMsgId"))
            if let messageID, let content { request.message = .init(messageID: messageID, content: content) }
            return .contact(request)
        case .member:
            return .member(
                profile: try object.required("profile"), memberID: try object.required("newMemberId"),
                key: try object.required("newMemberKey"), relay: try object.optional("viaRelay"))
        case .deleteContact: return .deleteContact
        default: return nil
        }
    }

    private static func group(_ tag: ChatEventTag, _ object: JSONObject) throws(JSONError) -> ChatMessageEvent? {
        switch tag {
        case .groupInvitation: return .groupInvitation(try object.required("groupInvitation"))
        case .acceptGroup: return .acceptGroup(memberID: try object.required("memberId"))
        case .groupLinkInvitation: return .groupLinkInvitation(try object.required("groupLinkInvitation"))
        case .groupLinkRejection: return .groupLinkRejection(try object.required("groupLinkRejection"))
        case .groupLinkMember: return .groupLinkMember(try object.required("profile"))
        case .groupLinkAcceptance:
            return .groupLinkAcceptance(
                try object.required("acceptance"), role: try object.required("role"),
                memberID: try object.required("memberId"))
        case .groupRelayInvitation: return .groupRelayInvitation(try object.required("groupRelayInvitation"))
        case .acceptGroupRelay:
            return .acceptGroupRelay(
                link: try object.required("relayLink"), capabilities: try object.optional("relayCap") ?? RelayCapabilities())
        case .testGroupRelay:
            return .testGroupRelay(
                challenge: try object.required("challenge"), signature: try object.optional("signature"))
        case .leaveGroup: return .leaveGroup
        case .deleteGroup: return .deleteGroup
        case .groupInfo: return .groupInfo(try object.required("groupProfile"))
        case .groupPreferences: return .groupPreferences(try object.required("groupPreferences"))
        case .groupDirectInvitation:
            return .groupDirectInvitation(
                connectionRequest: try object.required("connReq"), content: try object.optional("content"),
                scope: try object.optional("scope"))
        default: return nil
        }
    }

    /// A message inside another one. It is read by a function of its own, whose stack frame is small: messages may be inside each other.
    private static func forward(_ object: JSONObject) throws(JSONError) -> ChatMessageEvent {
        var sender = MessageForward.Sender.channel
        if let memberID: MemberID = try object.optional("memberId") {
            sender = .member(memberID, name: try object.optional("memberName") ?? "")
        }
        let forward = MessageForward(sender: sender, brokerTimestamp: try object.required("msgTs"))
        return .forwardMessage(forward, try object.required("msg"))
    }

    private static func groupMember(_ tag: ChatEventTag, _ object: JSONObject) throws(JSONError) -> ChatMessageEvent? {
        switch tag {
        case .newMember: return .newMember(try object.required("memberInfo"), scope: try object.optional("scope"))
        case .introduceMember:
            return .introduceMember(
                try object.required("memberInfo"), restrictions: try object.optional("memberRestrictions"))
        case .inviteMember:
            return .inviteMember(memberID: try object.required("memberId"), try object.required("memberIntro"))
        case .forwardMemberInvitation:
            return .forwardMemberInvitation(try object.required("memberInfo"), try object.required("memberIntro"))
        case .memberInfo: return .memberInfo(memberID: try object.required("memberId"), try object.required("profile"))
        case .memberRole:
            return .memberRole(
                memberID: try object.required("memberId"), try object.required("role"), key: try object.optional("memberKey"),
                rosterVersion: try object.optional("rosterVersion"))
        case .restrictMember:
            return .restrictMember(memberID: try object.required("memberId"), try object.required("memberRestrictions"))
        case .memberConnected: return .memberConnected(memberID: try object.required("memberId"))
        case .memberConnectedToAll: return .memberConnectedToAll(memberID: try object.required("memberId"))
        case .removeMember:
            return .removeMember(
                memberID: try object.required("memberId"), withMessages: object["messages"]?.boolValue ?? false,
                rosterVersion: try object.optional("rosterVersion"))
        default: return nil
        }
    }

    private static func rosterOrRelay(_ tag: ChatEventTag, _ object: JSONObject) throws(JSONError) -> ChatMessageEvent? {
        switch tag {
        case .newGroupRelay: return .newGroupRelay(link: try object.required("relayLink"))
        case .rejectGroupRelay: return .rejectGroupRelay(try object.required("reason"))
        case .groupRelayCapabilities: return .groupRelayCapabilities(try object.required("relayCap"))
        case .groupRoster: return .groupRoster(try GroupRoster(object: object))
        case .acknowledgeRoster:
            let error: String? = try object.optional("error")
            return .acknowledgeRoster(
                try object.required("version"), error: error.map { String($0.unicodeScalars.prefix(ChatLimits.rosterErrorText)) })
        case .requestRoster: return .requestRoster(try object.optional("version"))
        default: return nil
        }
    }

    private static func probeOrCall(_ tag: ChatEventTag, _ object: JSONObject) throws(JSONError) -> ChatMessageEvent? {
        switch tag {
        case .probe: return .probe(try object.required("probe"))
        case .checkProbe: return .checkProbe(try object.required("probeHash"))
        case .confirmProbe: return .confirmProbe(try object.required("probe"))
        case .callInvitation: return .callInvitation(try object.required("callId"), try object.required("invitation"))
        case .callOffer: return .callOffer(try object.required("callId"), try object.required("offer"))
        case .callAnswer:
            let answer: JSONObject = try object.required("answer")
            return .callAnswer(try object.required("callId"), try answer.required("rtcSession"))
        case .callExtra:
            let extra: JSONObject = try object.required("extra")
            return .callExtra(try object.required("callId"), try extra.required("rtcExtraInfo"))
        case .endCall: return .endCall(try object.required("callId"))
        case .ok: return .ok
        default: return nil
        }
    }
}

extension ChatMessageEvent {
    /// The parameters that the event was not read from, if it does not keep them itself; null ones are not among them.
    func unknown(of parameters: JSONObject) -> JSONObject {
        let known: JSONObject
        switch self {
        case .newMessage, .updateMessage, .deleteMessage, .react, .unknown, .fileChunk: return JSONObject()
        // The message inside is not written again only to see which names there are.
        case .forwardMessage: known = ["msg": nil, "msgTs": nil, "memberId": nil, "memberName": nil]
        // Parameters that this version knows, and leaves out when they say nothing.
        case .contact: known = ["profile": nil, "contactReqId": nil, "welcomeMsgId": nil, "msgId": nil, "content": nil]
        case .removeMember: known = ["memberId": nil, "messages": nil, "rosterVersion": nil]
        default: known = self.parameters
        }
        var unknown = parameters.unknown(to: known.keys)
        for (key, value) in unknown.members where value.isNull { unknown[key] = nil }
        return unknown
    }
}
