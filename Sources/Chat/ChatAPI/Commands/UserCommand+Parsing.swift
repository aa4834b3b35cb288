import ChatProtocol

extension UserCommand {
    static let forms: [CommandForm] = profiles + settings + publicProfile

    private static let profiles: [CommandForm] = [
        CommandForm("/_create user ") { r throws(CommandMismatch) in .users(.create(try NewUser(reading: &r))) },
        CommandForm("/create user ") { r throws(CommandMismatch) in .users(.create(try r.newUser())) },
        CommandForm("/create chat relay user ") { r throws(CommandMismatch) in .users(.create(try r.newUser(isRelay: true))) },
        CommandForm("/create bot ") { r throws(CommandMismatch) in .users(.create(try r.newBot())) },
        CommandForm("/users") { _ in .users(.list) },
        CommandForm("/_user ") { r throws(CommandMismatch) in
            .users(.setActive(try r.id(), password: r.jsonPassword()))
        },
        CommandForm("/user ", "/u ") { r throws(CommandMismatch) in
            .users(.setActiveNamed(try r.displayName(), password: r.spacePassword()))
        },
        CommandForm("/user", "/u") { _ in .users(.showActive) },
        CommandForm("/_delete user ") { r throws(CommandMismatch) in
            let id = try r.id(UserID.self)
            try r.expect(" del_smp=")
            return .users(.delete(id, deleteQueues: try r.flag(), password: r.jsonPassword()))
        },
        CommandForm("/delete user ") { r throws(CommandMismatch) in
            .users(.deleteNamed(try r.displayName(), password: r.spacePassword()))
        },
        CommandForm("/_hide user ") { r throws(CommandMismatch) in
            .users(.hide(user: try r.id(), password: try r.spaceJSON()))
        },
        CommandForm("/_unhide user ") { r throws(CommandMismatch) in
            .users(.unhide(user: try r.id(), password: try r.spaceJSON()))
        },
        CommandForm("/hide user ") { r throws(CommandMismatch) in .users(.hide(user: nil, password: try r.password())) },
        CommandForm("/unhide user ") { r throws(CommandMismatch) in .users(.unhide(user: nil, password: try r.password())) },
        CommandForm("/_mute user ") { r throws(CommandMismatch) in .users(.mute(user: try r.id())) },
        CommandForm("/_unmute user ") { r throws(CommandMismatch) in .users(.unmute(user: try r.id())) },
        CommandForm("/mute user") { _ in .users(.mute(user: nil)) },
        CommandForm("/unmute user") { _ in .users(.unmute(user: nil)) },
    ]

    private static let settings: [CommandForm] = [
        CommandForm("/set receipts all ") { r throws(CommandMismatch) in .users(.setAllReceipts(try r.flag())) },
        CommandForm("/_set receipts contacts ") { r throws(CommandMismatch) in
            .users(.setContactReceipts(user: try r.idSpace(), try r.receiptSettings()))
        },
        CommandForm("/set receipts contacts ") { r throws(CommandMismatch) in
            .users(.setContactReceipts(user: nil, try r.receiptSettings()))
        },
        CommandForm("/_set receipts groups ") { r throws(CommandMismatch) in
            .users(.setGroupReceipts(user: try r.idSpace(), try r.receiptSettings()))
        },
        CommandForm("/set receipts groups ") { r throws(CommandMismatch) in
            .users(.setGroupReceipts(user: nil, try r.receiptSettings()))
        },
        CommandForm("/_set accept member contacts ") { r throws(CommandMismatch) in
            .users(.setAutoAcceptMemberContacts(user: try r.idSpace(), try r.flag()))
        },
        CommandForm("/set accept member contacts ") { r throws(CommandMismatch) in
            .users(.setAutoAcceptMemberContacts(user: nil, try r.flag()))
        },
        CommandForm("/_set theme user ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            return .users(.setThemes(user: user, try r.themes()))
        },
        CommandForm("/_read user ") { r throws(CommandMismatch) in .users(.markRead(user: try r.id())) },
        CommandForm("/read user") { _ in .users(.markRead(user: nil)) },
        CommandForm("/_ttl ") { r throws(CommandMismatch) in
            .users(.setMessageTTL(user: try r.idSpace(), seconds: try r.decimal()))
        },
        CommandForm("/_ttl ") { r throws(CommandMismatch) in .users(.messageTTL(user: try r.id())) },
        CommandForm("/ttl ") { r throws(CommandMismatch) in .users(.setMessageTTL(user: nil, seconds: try r.itemTTL())) },
        CommandForm("/ttl") { _ in .users(.messageTTL(user: nil)) },
    ]

    private static let publicProfile: [CommandForm] = [
        CommandForm("/_profile ") { r throws(CommandMismatch) in
            .users(.updateProfile(user: try r.idSpace(), try r.json()))
        },
        CommandForm("/_set domain ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            return .users(.setDomain(user: user, r.skip(" ") ? r.word() : nil))
        },
        CommandForm("/profile ", "/p ") { r throws(CommandMismatch) in
            let (name, description) = try r.nameAndDescription()
            return .users(.renameProfile(name: name, description: description))
        },
        CommandForm("/profile", "/p") { _ in .users(.showProfile) },
        CommandForm("/show profile image") { _ in .users(.showProfileImage) },
        CommandForm("/delete profile image") { _ in .users(.updateProfileImage(nil)) },
        CommandForm("/set profile image ") { r throws(CommandMismatch) in .users(.updateProfileImage(try r.profileImage())) },
        CommandForm("/set bot commands ") { r throws(CommandMismatch) in .users(.setBotCommands(try r.botCommands())) },
        CommandForm("/delete bot commands") { _ in .users(.setBotCommands([])) },
        CommandForm("/set voice ") { r throws(CommandMismatch) in .users(.setFeature(.voice, try r.featureAllowed())) },
        CommandForm("/set files ") { r throws(CommandMismatch) in .users(.setFeature(.files, try r.featureAllowed())) },
        CommandForm("/set calls ") { r throws(CommandMismatch) in .users(.setFeature(.calls, try r.featureAllowed())) },
        CommandForm("/set delete ") { r throws(CommandMismatch) in .users(.setFeature(.fullDelete, try r.featureAllowed())) },
        CommandForm("/set disappear ") { r throws(CommandMismatch) in
            if r.skip("yes") { return .users(.setTimedMessages(true)) }
            try r.expect("no")
            return .users(.setTimedMessages(false))
        },
    ]
}

extension NewUser {
    /// Reads the data of a new profile as JSON. Cores of 6.5 require `userChatRelay`.
    fileprivate init(reading reader: inout CommandReader) throws(CommandMismatch) {
        let json: JSONValue = try reader.json()
        guard reader.version >= .v70Beta || json["userChatRelay"] != nil, let user = try? NewUser(json: json) else { throw CommandMismatch() }
        self = user
    }
}

extension CommandReader {
    /// A number and a space.
    mutating func decimalSpace() throws(CommandMismatch) -> Int64 {
        let number = try decimal()
        try expect(" ")
        return number
    }

    /// A space and a word of the preferences.
    mutating func featureAllowed() throws(CommandMismatch) -> FeatureAllowed {
        guard let allowed = FeatureAllowed(known: word()) else { throw CommandMismatch() }
        return allowed
    }

    /// A space and colours as JSON, if anything comes.
    mutating func themes() throws(CommandMismatch) -> JSONValue? {
        guard !isAtEnd else { return nil }
        let themes: JSONValue = try spaceJSON()
        guard UIThemes.isValid(themes) else { throw CommandMismatch() }
        return themes
    }

    fileprivate mutating func jsonPassword() -> String? {
        optional { reader throws(CommandMismatch) in try reader.spaceJSON() }
    }

    fileprivate mutating func spacePassword() -> String? {
        optional(" ") { reader throws(CommandMismatch) in try reader.password() }
    }

    fileprivate mutating func receiptSettings() throws(CommandMismatch) -> UserReceiptSettings {
        UserReceiptSettings(enable: try flag(), clearOverrides: flag(after: " clear_overrides="))
    }

    fileprivate mutating func newUser(isRelay: Bool = false) throws(CommandMismatch) -> NewUser {
        let (name, description) = try nameAndDescription()
        let profile = Profile(displayName: name, shortDescription: description)
        return NewUser(profile: profile, pastTimestamp: false, isChatRelay: isRelay)
    }

    fileprivate mutating func newBot() throws(CommandMismatch) -> NewUser {
        let allowsFiles = optional("files=") { reader throws(CommandMismatch) in
            let value = try reader.flag()
            try reader.expect(" ")
            return value
        }
        let (name, description) = try nameAndDescription()
        let preferences = allowsFiles == true ? nil : ChatPreferences(files: SimplePreference(allow: .no))
        let profile = Profile(
            displayName: name, shortDescription: description, preferences: preferences, peerType: .bot)
        return NewUser(profile: profile, pastTimestamp: false, isChatRelay: false)
    }

    /// A picture as a data URI of a PNG or JPEG.
    fileprivate mutating func profileImage() throws(CommandMismatch) -> ImageData {
        let uri = rest()
        for prefix in ["data:image/png;base64,", "data:image/jpg;base64,"] where uri.hasPrefix(prefix) {
            var padding = 0
            for byte in uri.utf8.dropFirst(prefix.utf8.count) {
                switch byte {
                case UInt8(ascii: "="): padding += 1
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F: if padding > 0 { throw CommandMismatch() }
                default: throw CommandMismatch()
                }
            }
            guard padding <= 2, (uri.utf8.count - prefix.utf8.count) % 4 == 0 else { throw CommandMismatch() }
            return ImageData(uri)
        }
        throw CommandMismatch()
    }
}

/// Colours of chats and profiles: they are kept for apps and checked only as far as the official core does.
enum UIThemes {
    static func isValid(_ themes: JSONValue) -> Bool {
        guard let object = themes.objectValue else { return false }
        return [object["light"], object["dark"]].compactMap(\.self).filter { !$0.isNull }.allSatisfy { theme in
            ["light", "dark"].contains(theme["mode"]?.stringValue ?? "") && theme["colors"]?.objectValue != nil
        }
    }
}
