import ChatAPI
package import ChatProtocol

/// Settings of apps that cores keep for them.
package enum AppSettings {
    /// Combines an app's settings: those that it saved, else its platform's defaults, else the general defaults.
    package static func combined(stored: JSONValue?, given: JSONValue?) -> JSONValue {
        var combined = initial
        for settings in [given, stored] {
            for (key, value) in settings?.objectValue?.members ?? [] where value != .null { combined[key] = value }
        }
        return .object(combined)
    }

    private static let initial: JSONObject = [
        "networkConfig": NetworkConfig.library.json,
        "privacyEncryptLocalFiles": true, "privacyAskToApproveRelays": true, "privacyAcceptImages": true, "privacyLinkPreviews": true,
        "privacyShowChatPreviews": true, "privacySaveLastDraft": true, "privacyProtectScreen": false, "privacyMediaBlurRadius": 0,
        "notificationMode": "instant", "notificationPreviewMode": "message",
        "webrtcPolicyRelay": true, "webrtcICEServers": [],
        "confirmRemoteSessions": false, "connectRemoteViaMulticast": true, "connectRemoteViaMulticastAuto": true,
        "developerTools": false, "confirmDBUpgrades": false,
        "androidCallOnLockScreen": "show", "iosCallKitEnabled": true, "iosCallKitCallsInRecents": false,
        "uiProfileImageCornerRadius": decimal(22.5), "uiChatItemRoundness": decimal(0.75), "uiChatItemTail": true,
        "uiColorScheme": "SYSTEM", "uiDarkColorScheme": "SIMPLEX", "oneHandUI": true, "chatBottomBar": true,
    ]

    private static func decimal(_ number: Double) -> JSONValue { JSONNumber(number).map(JSONValue.number) ?? .null }
}
