public import ChatProtocol

/// Commands about profiles.
public enum UserCommand: Sendable, Hashable {
    /// Makes a profile, which becomes the active one.
    case create(NewUser)
    /// Tells the active profile.
    case showActive
    /// Lists the profiles that are not hidden.
    case list
    /// Makes a profile the active one; a hidden one needs its password.
    case setActive(UserID, password: String? = nil)
    /// Makes the profile of that name the active one.
    case setActiveNamed(String, password: String? = nil)
    /// Turns receipts of all kinds, for all profiles, on or off.
    case setAllReceipts(Bool)
    /// Sets receipts to contacts.
    case setContactReceipts(user: UserID?, UserReceiptSettings)
    /// Sets receipts in small groups.
    case setGroupReceipts(user: UserID?, UserReceiptSettings)
    /// Sets whether direct contact requests of group members are accepted unasked.
    case setAutoAcceptMemberContacts(user: UserID?, Bool)
    /// Hides a profile with a password.
    case hide(user: UserID?, password: String)
    /// Shows a hidden profile again.
    case unhide(user: UserID?, password: String)
    /// Mutes a profile.
    case mute(user: UserID?)
    /// Ends muting.
    case unmute(user: UserID?)
    /// Deletes a profile with all that belongs to it; `deleteQueues` also at the routers.
    case delete(UserID, deleteQueues: Bool, password: String? = nil)
    /// Deletes the profile of that name.
    case deleteNamed(String, password: String? = nil)
    /// Replaces the public profile and tells the contacts.
    case updateProfile(user: UserID, Profile)
    /// Claims a domain for the address of a profile and tells the contacts, a command of version 7.0; nil takes the claim back.
    case setDomain(user: UserID, String?)
    /// Tells the public profile of the active profile.
    case showProfile
    /// Changes name and description of the active profile.
    case renameProfile(name: String, description: String?)
    /// Tells the profile with its picture.
    case showProfileImage
    /// Changes or removes the picture of the active profile.
    case updateProfileImage(ImageData?)
    /// Sets the menu of the active profile, which should be a bot; empty to remove it.
    case setBotCommands([BotCommand])
    /// Sets the preferences of the active profile.
    case setFeature(ChatFeature, FeatureAllowed)
    /// Sets whether the active profile allows disappearing messages.
    case setTimedMessages(Bool)
    /// Sets the colours of a profile.
    case setThemes(user: UserID, JSONValue?)
    /// Marks everything as read.
    case markRead(user: UserID?)
    /// Sets after how many seconds messages are deleted; 0 never.
    case setMessageTTL(user: UserID?, seconds: Int64)
    /// Tells after how many seconds messages are deleted.
    case messageTTL(user: UserID?)
}

extension UserCommand {
    var commandString: String {
        switch self {
        case .create(let user): "/_create user \(CommandText.json(user))"
        case .showActive: "/user"
        case .list: "/users"
        case .setActive(let id, let password): "/_user \(id)\(CommandText.json(password))"
        case .setActiveNamed(let name, let password): "/user \(CommandText.name(name))\(CommandText.json(password))"
        case .setAllReceipts(let on): "/set receipts all \(CommandText.flag(on))"
        case .setContactReceipts(let user, let settings): CommandText.user("set receipts contacts", user) + settings.words
        case .setGroupReceipts(let user, let settings): CommandText.user("set receipts groups", user) + settings.words
        case .setAutoAcceptMemberContacts(let user, let on):
            CommandText.user("set accept member contacts", user) + " " + CommandText.flag(on)
        case .hide(let user, let password): CommandText.user("hide user", user) + " \(CommandText.json(password))"
        case .unhide(let user, let password): CommandText.user("unhide user", user) + " \(CommandText.json(password))"
        case .mute(let user): CommandText.user("mute user", user)
        case .unmute(let user): CommandText.user("unmute user", user)
        case .delete(let id, let queues, let password):
            "/_delete user \(id) del_smp=\(CommandText.flag(queues))\(CommandText.json(password))"
        case .deleteNamed(let name, let password): "/delete user \(CommandText.name(name))\(CommandText.json(password))"
        case .updateProfile(let user, let profile): "/_profile \(user) \(CommandText.json(profile))"
        case .setDomain(let user, let domain): "/_set domain \(user)" + (domain.map { " \($0)" } ?? "")
        case .showProfile: "/profile"
        case .renameProfile(let name, let text): "/profile \(CommandText.name(name))\(text.map { " \($0)" } ?? "")"
        case .showProfileImage: "/show profile image"
        case .updateProfileImage(let image?): "/set profile image \(image.uri)"
        case .updateProfileImage(nil): "/delete profile image"
        case .setBotCommands([]): "/delete bot commands"
        case .setBotCommands(let commands): "/set bot commands \(BotCommandText.print(commands))"
        case .setFeature(let feature, let allowed): "/set \(feature.consoleName) \(allowed.code)"
        case .setTimedMessages(let on): "/set disappear \(on ? "yes" : "no")"
        case .setThemes(let user, let themes): "/_set theme user \(user)\(CommandText.json(themes))"
        case .markRead(let user): CommandText.user("read user", user)
        case .setMessageTTL(let user?, let seconds): "/_ttl \(user) \(seconds)"
        case .setMessageTTL(nil, let seconds): "/ttl \(ItemTTL.word(seconds))"
        case .messageTTL(let user): CommandText.user("ttl", user)
        }
    }
}

extension UserReceiptSettings {
    fileprivate var words: String {
        " \(CommandText.flag(enable))\(CommandText.option(" clear_overrides=", clearOverrides))"
    }
}

extension CommandText {
    /// The form of a command with the id of a profile, or the one for the active profile.
    static func user(_ words: String, _ user: UserID?) -> String { user.map { "/_\(words) \($0)" } ?? "/\(words)" }
}

extension ChatFeature {
    /// The name of the feature at a console.
    var consoleName: String {
        switch self {
        case .fullDelete: "delete"
        case .timedMessages: "disappear"
        default: code
        }
    }
}

/// After how long messages are deleted, as people write it.
enum ItemTTL {
    static let words: [(word: String, seconds: Int64)] = [
        ("day", 86_400), ("week", 7 * 86_400), ("month", 30 * 86_400), ("year", 365 * 86_400), ("none", 0),
    ]

    static func word(_ seconds: Int64) -> String { words.first { $0.seconds == seconds }?.word ?? String(seconds) }
}

extension CommandReader {
    /// `day`, `week`, `month`, `year` or `none`.
    mutating func itemTTL() throws(CommandMismatch) -> Int64 {
        for (word, seconds) in ItemTTL.words where skip(word) { return seconds }
        throw CommandMismatch()
    }
}
