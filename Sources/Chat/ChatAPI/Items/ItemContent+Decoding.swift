public import ChatProtocol

extension ItemContent {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "sndMsgContent": self = .sentMessage(content: try object.required("msgContent"))
        case "rcvMsgContent": self = .receivedMessage(content: try object.required("msgContent"))
        case "sndDeleted": self = .sentDeleted(mode: try object.required("deleteMode"))
        case "rcvDeleted": self = .receivedDeleted(mode: try object.required("deleteMode"))
        case "sndCall": self = .sentCall(status: try object.required("status"), duration: try object.required("duration"))
        case "rcvCall": self = .receivedCall(status: try object.required("status"), duration: try object.required("duration"))
        case "rcvIntegrityError": self = .receivedIntegrityError(error: try object.required("msgError"))
        case "rcvDecryptionError":
            self = .receivedDecryptionError(
                error: try object.required("msgDecryptError"), messageCount: try object.required("msgCount"))
        case "rcvMsgError": self = .receivedMessageError(error: try object.required("rcvMsgError"))
        case "rcvGroupInvitation":
            self = .receivedGroupInvitation(
                invitation: try object.required("groupInvitation"), memberRole: try object.required("memberRole"))
        case "sndGroupInvitation":
            self = .sentGroupInvitation(
                invitation: try object.required("groupInvitation"), memberRole: try object.required("memberRole"))
        case "rcvDirectEvent": self = .receivedDirectEvent(event: try object.required("rcvDirectEvent"))
        case "rcvGroupEvent": self = .receivedGroupEvent(event: try object.required("rcvGroupEvent"))
        case "sndGroupEvent": self = .sentGroupEvent(event: try object.required("sndGroupEvent"))
        case "rcvConnEvent": self = .receivedConnectionEvent(event: try object.required("rcvConnEvent"))
        case "sndConnEvent": self = .sentConnectionEvent(event: try object.required("sndConnEvent"))
        case "rcvChatFeature":
            self = .receivedChatFeature(
                feature: try object.required("feature"), enabled: try object.required("enabled"),
                parameter: try object.optional("param"))
        case "sndChatFeature":
            self = .sentChatFeature(
                feature: try object.required("feature"), enabled: try object.required("enabled"),
                parameter: try object.optional("param"))
        case "rcvChatPreference":
            self = .receivedChatPreference(
                feature: try object.required("feature"), allowed: try object.required("allowed"),
                parameter: try object.optional("param"))
        case "sndChatPreference":
            self = .sentChatPreference(
                feature: try object.required("feature"), allowed: try object.required("allowed"),
                parameter: try object.optional("param"))
        case "rcvGroupFeature":
            self = .receivedGroupFeature(
                feature: try object.required("groupFeature"), preference: try object.required("preference"),
                parameter: try object.optional("param"), memberRole: try object.optional("memberRole_"))
        case "sndGroupFeature":
            self = .sentGroupFeature(
                feature: try object.required("groupFeature"), preference: try object.required("preference"),
                parameter: try object.optional("param"), memberRole: try object.optional("memberRole_"))
        case "rcvChatFeatureRejected": self = .receivedChatFeatureRejected(feature: try object.required("feature"))
        case "rcvGroupFeatureRejected": self = .receivedGroupFeatureRejected(feature: try object.required("groupFeature"))
        case "sndModerated": self = .sentModerated
        case "rcvModerated": self = .receivedModerated
        case "rcvBlocked": self = .receivedBlocked
        case "sndDirectE2EEInfo": self = .sentDirectEncryption(info: try object.required("e2eeInfo"))
        case "rcvDirectE2EEInfo": self = .receivedDirectEncryption(info: try object.required("e2eeInfo"))
        case "sndGroupE2EEInfo": self = .sentGroupEncryption(info: try object.required("e2eeInfo"))
        case "rcvGroupE2EEInfo": self = .receivedGroupEncryption(info: try object.required("e2eeInfo"))
        case "chatBanner": self = .chatBanner
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }
}
