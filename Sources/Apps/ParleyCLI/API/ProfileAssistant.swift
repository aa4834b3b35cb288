internal import ChatAPI
internal import ChatProtocol
internal import Logging

/// The work that ``ProfileOptions`` ask for: a profile and its address at the start, then files and marks as messages come.
struct ProfileAssistant: Sendable {
    let core: any ChatCore
    let options: Work
    let logger: Logger

    /// The options as values.
    struct Work: Sendable {
        var profile: Profile?
        var hasAddress = false
        var acceptsRequests = false
        var acceptedFileBytes: Int64?
        var marksRead = false
        /// True if the profile relays for others.
        var isRelay = false

        init(_ options: ProfileOptions, isRelay: Bool = false) {
            self.isRelay = isRelay
            profile = options.profile
            hasAddress = options.address
            acceptsRequests = options.accept
            acceptedFileBytes = options.acceptedFiles?.bytes
            marksRead = options.marksRead
        }

        /// True if events are needed.
        var watches: Bool { acceptedFileBytes != nil || marksRead }

        /// The commands that follow from a message that has come.
        ///
        /// - Parameter isKnown: true if it may have been handled before.
        func commands(for item: ItemInChat, isKnown: Bool = false) -> [ChatCommand] {
            guard item.chatItem.direction.isReceived else { return [] }
            var commands: [ChatCommand] = []
            if let limit = acceptedFileBytes, let file = item.chatItem.file, file.status == .receiveInvitation, file.fileSize <= limit {
                commands.append(.files(.receive(file.fileID, approvedRelays: true)))
            }
            guard !isKnown || item.chatItem.meta.status == .receivedNew else { return commands }
            if marksRead, let chat = item.chatInfo.reference { commands.append(.chats(.markItemsRead(chat, [item.chatItem.meta.itemID]))) }
            return commands
        }
    }

    /// Creates the profile, unless there is one; a relay needs one that relays.
    func createProfile() async throws(ChatCoreError) {
        guard let profile = options.profile, case .usersList(let users) = try await core.send(.users(.list), as: nil),
            options.isRelay ? !users.contains(where: \.user.isChatRelay) : users.isEmpty
        else { return }
        _ = try await core.send(.users(.create(NewUser(profile: profile, pastTimestamp: false, isChatRelay: options.isRelay))), as: nil)
    }

    /// Makes the profile that relays the active one, if there is one.
    func selectRelay() async throws(ChatCoreError) {
        guard options.isRelay, case .usersList(let users) = try await core.send(.users(.list), as: nil),
            let relay = users.map(\.user).first(where: \.isChatRelay), !relay.isActive
        else { return }
        _ = try await core.send(.users(.setActive(relay.userID)), as: nil)
    }

    /// Creates the address of the active profile, unless it has one. A profile that relays always gets one.
    ///
    /// - Returns: The address; nil if none is wanted, or there is no profile.
    func createAddress() async throws(ChatCoreError) -> String? {
        guard options.hasAddress || options.isRelay, case .usersList(let users) = try await core.send(.users(.list), as: nil),
            let user = users.map(\.user).first(where: { options.hasAddress ? $0.isActive : $0.isChatRelay })
        else { return nil }
        let link: CreatedConnectionLink
        if let known = try await address(of: user.userID) {
            link = known
        } else {
            guard case .userContactLinkCreated(_, let created) = try await core.send(.address(.create(user: user.userID)), as: nil) else { return nil }
            link = created
        }
        if options.acceptsRequests {
            let settings = AddressSettings(isBusinessAddress: false, autoAccept: AutoAccept(acceptIncognito: false), autoReply: nil)
            _ = try await core.send(.address(.setSettings(user: user.userID, settings)), as: nil)
        }
        return link.shortLink?.description ?? link.fullLink.description
    }

    private func address(of user: UserID) async throws(ChatCoreError) -> CreatedConnectionLink? {
        do throws(ChatCoreError) {
            guard case .userContactLink(_, let found) = try await core.send(.address(.show(user: user)), as: nil) else { return nil }
            return found.connectionLink
        } catch {
            guard case .store(error: .userContactLinkNotFound) = error.chatError else { throw error }
            return nil
        }
    }

    /// Accepts files and marks messages until the task is cancelled or the core is closed.
    ///
    /// - Parameter events: The first subscription. If too many events wait in it, another one follows.
    func run(_ events: ChatEvents) async {
        var events = events
        while !Task.isCancelled {
            do throws(ChatCoreError) {
                for try await event in events {
                    guard case .newChatItems(let user, let items) = event else { continue }
                    for command in items.flatMap({ options.commands(for: $0) }) { await perform(command, as: user.userID) }
                }
                return
            } catch {
                logger.notice(
                    "messages came faster than they could be handled: the newest ones are read again",
                    metadata: ["code": "api.assistant", "error": "\(error)"])
                events = core.events()
                await catchUp()
            }
        }
    }

    /// Messages of each profile that are read again after events were lost.
    private static let newestItems = 5_000

    /// Handles what is among the newest messages of all profiles and has not been handled.
    private func catchUp() async {
        do throws(ChatCoreError) {
            guard case .usersList(let users) = try await core.send(.users(.list), as: nil) else { return }
            for user in users.map(\.user.userID) {
                guard case .chatItems(_, _, let items) = try await core.send(.chats(.items(pagination: .last(Self.newestItems))), as: user) else { continue }
                for command in items.flatMap({ options.commands(for: $0, isKnown: true) }) { await perform(command, as: user) }
            }
        } catch {
            logger.error(
                "messages cannot be read: some files are not accepted, and some messages not marked as read",
                metadata: ["code": "api.assistant", "error": "\(error)"])
        }
    }

    private func perform(_ command: ChatCommand, as user: UserID) async {
        do throws(ChatCoreError) {
            _ = try await core.send(command, as: user)
        } catch {
            logger.warning("a message could not be handled as the options say", metadata: ["code": "api.assistant", "error": "\(error)"])
        }
    }
}
