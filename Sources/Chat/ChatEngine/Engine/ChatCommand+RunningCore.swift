import ChatAPI
import ChatRules

// Commands that a stopped core refuses with `chatNotStarted`, as the official one does: nearly all that concern a profile. Commands that say which profile
// is to act, and those about the core, its databases and its settings, are answered.

extension ChatCommand {
    /// True if a core that was stopped refuses the command.
    var needsRunningCore: Bool {
        switch self {
        case .users(let command): command.needsRunningCore
        case .core(let command): command.needsRunningCore
        case .chats(let command): command.needsRunningCore
        case .address(let command): command.needsRunningCore
        case .servers(let command): command.needsRunningCore
        case .console(let command): command.needsRunningCore
        case .files(.linkInfo), .database, .raw: false
        case .calls(.invite): true
        case .calls: false
        case .devices(let command): command.needsRunningCore
        case .messages, .contacts, .connections, .groups, .files: true
        }
    }
}

extension UserCommand {
    fileprivate var needsRunningCore: Bool {
        switch self {
        // The first two look at it themselves, after the profile that is to become the active one.
        case .setActive, .setActiveNamed, .create, .showActive, .list, .messageTTL: false
        default: true
        }
    }
}

extension CoreCommand {
    fileprivate var needsRunningCore: Bool {
        switch self {
        case .activate, .custom, .subscriptionsTotal, .serversSummary: true
        default: false
        }
    }
}

extension ChatsCommand {
    fileprivate var needsRunningCore: Bool {
        switch self {
        case .list, .tags: false
        default: true
        }
    }
}

extension AddressCommand {
    fileprivate var needsRunningCore: Bool {
        switch self {
        case .show, .addShortLink: false
        default: true
        }
    }
}

extension ServerCommand {
    fileprivate var needsRunningCore: Bool {
        switch self {
        case .userServers, .setUserServers, .validate, .protocolServers, .setProtocolServers, .test, .testRelay, .relays, .setRelays, .reconnect: true
        default: false
        }
    }
}

extension ConsoleCommand {
    fileprivate var needsRunningCore: Bool {
        switch self {
        case .help, .lastChats, .messageTTL: false
        default: true
        }
    }
}

extension DeviceCommand {
    fileprivate var needsRunningCore: Bool {
        switch self {
        case .connectController, .findController, .confirmController, .verifyController, .controllers, .stopController, .deleteController: true
        default: false
        }
    }
}
