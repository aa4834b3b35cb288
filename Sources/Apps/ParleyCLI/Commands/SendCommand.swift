internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Parley
internal import ParleyRules

/// `parley send`: one message from a profile to a contact or a group, for scripts.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send one message or file to a contact or a group, and wait until the router has accepted it.",
        discussion: """
            While bots run on the data folder, their process sends the message. Any other process that uses the folder must be stopped first.
            """)

    @Option(name: .customLong("to"), help: "The contact or group, by its name; #NAME is a group, @NAME a contact.")
    var recipient: String

    @Option(help: "The profile that sends, by its name. [default: the only one]")
    var profile: String?

    @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
    var data: String?

    @Flag(help: "Wait until the client of the contact, or of each member, has confirmed the message, not only until the router has it.")
    var wait = false

    @Option(name: .customLong("timeout"), help: "Seconds to wait, also for the upload of a file. [default: 15; 600 with a file]")
    var limit: Int?

    @Option(help: "A file to send; the text is its caption.", completion: .file())
    var file: String?

    @Option(help: "A picture to send with a preview; the text is its caption.", completion: .file())
    var image: String?

    @Flag(help: "With --image, send the picture as it is. Without it a picture above 255 KiB is made smaller, so that apps receive it on their own.")
    var original = false

    @Option(
        name: .customLong("once-as"),
        help: "A key of the message: it is sent once, however often the command is run with the same key within 30 days.")
    var key: String?

    @Argument(help: "The text; - reads it from standard input.")
    var text: String?

    @OptionGroup var options: CommonOptions

    func validate() throws {
        if file != nil, image != nil { throw ValidationError("--file and --image: give one of them") }
        if original, image == nil { throw ValidationError("--original means nothing without --image") }
        if let key, !(1...Self.keyLimit).contains(key.utf8.count) { throw ValidationError("--once-as takes 1 to \(Self.keyLimit) bytes") }
        if let limit, !(0...Self.longestTimeout).contains(limit) { throw ValidationError("--timeout takes 0 to \(Self.longestTimeout) seconds") }
        if file == nil, image == nil, text == nil { throw ValidationError("nothing to send: give a text, --file or --image") }
    }

    /// Bytes of a key at most: the core takes 200 with the prefix.
    private static let keyLimit = 190

    /// Seconds to wait at most: a day.
    private static let longestTimeout = 86_400

    private var timeout: Int { limit ?? (file == nil && image == nil ? 15 : 600) }

    /// The file to send, if there is one.
    private func outgoing(_ text: String) -> OutgoingFile? {
        file.map { OutgoingFile($0, caption: text) } ?? image.map { OutgoingFile($0, as: .image, caption: text, scalesPicture: !original) }
    }

    /// Bytes that are read from standard input at the most.
    private static let longestInput = LineEditor.longestText

    /// The text of the argument, or of standard input.
    private func readText() throws -> String {
        guard text == "-" else { return text ?? "" }
        var bytes = Data()
        while bytes.count <= Self.longestInput, let next = try FileHandle.standardInput.read(upToCount: 65_536), !next.isEmpty { bytes += next }
        guard bytes.count <= Self.longestInput else {
            throw Outcome.BadInput(
                "chat.textTooLong", description: "nothing was sent: the text is longer than \(Self.longestInput / 1_024) KiB. Send it as a file: --file FILE")
        }
        var text = String(decoding: bytes, as: UTF8.self)
        while text.last?.isNewline == true { text.removeLast() }
        if text.isEmpty, file == nil, image == nil { throw Outcome.BadInput(description: "nothing to send: standard input is empty") }
        return text
    }

    func run() async throws {
        let text = try readText()
        if file == nil, image == nil, text.showsNothing {
            throw Outcome.BadInput("send.empty", description: "nothing of the text would be shown: give a text that can be seen, --file or --image")
        }
        try await CoreAccess.with(try options.configuration(data: data)) { host in
            let user = try await ProfileFinder(core: host.core).profile(named: profile)
            let session = ChatSession(core: host.core, user: user, printer: ChatPrinter(json: options.json), filesFolder: host.filesFolder)
            _ = try await session.perform(.open(try await chatName(host.core, user)))
            try await host.start()
            let deadline = ContinuousClock.now + .seconds(timeout), key = key.map { "send/\($0)" }
            let items =
                if let outgoing = outgoing(text) {
                    [try await session.upload(outgoing, within: .seconds(timeout), onceAs: key)]
                } else {
                    try await session.send(text, onceAs: key)
                }
            guard let chat = await session.open else { return }
            for item in items {
                let remaining = max(.zero, deadline - .now)
                if chat.type == .group {
                    let delivery = GroupDelivery(core: host.core, user: user.userID, chat: chat, item: item.id, stage: wait ? .recipient : .router)
                    try check(try await delivery.wait(within: remaining))
                    continue
                }
                let outcome = try await host.core.awaitDelivery(
                    of: item.id, in: chat, as: user.userID, to: wait ? .recipient : .router, within: remaining)
                try check(outcome)
            }
            // With JSON, the output says what was sent; otherwise, no output means success.
            if options.json {
                Output.line([
                    "event": "sent", "to": .string(recipient), "chat": .string("\(chat)"), "items": .array(items.map { .int($0.id.rawValue) }),
                    "stage": wait ? "recipient" : "router",
                ])
            }
        }
    }

    /// The name by which the chat is opened. The name of a trusted contact in bots.yaml means that contact, also if others chose the same name.
    ///
    /// - Throws: ``Outcome/BadInput`` `chat.unknown` for a trusted contact who has not connected.
    private func chatName(_ core: any ChatCore, _ user: User) async throws -> String {
        guard case .contactsList(_, let contacts) = try await core.send(.contacts(.list(user: user.userID)), as: user.userID),
            case .apiChats(_, let chats) = try await core.send(.chats(.list(user: user.userID, pendingConnections: true)), as: user.userID)
        else { return recipient }
        // The name belongs to the connection of the one-time link, which nothing that is received moves.
        let connected = contacts.map { (name: $0.activeConnection?.localAlias ?? "", chat: String?.some("@" + $0.localDisplayName)) }
        let waiting = chats.compactMap { chat -> (name: String, chat: String?)? in
            guard case .contactConnection(let connection) = chat.chatInfo else { return nil }
            return (connection.localAlias, nil)
        }
        let named = (connected + waiting).filter { !$0.name.isEmpty }
        guard let found = ChatName(recipient).choose(among: named, name: \.name, kind: { _ in .direct }) else { return recipient }
        guard let chat = found.chat else {
            throw Outcome.BadInput(
                "chat.unknown", description: "\"\(found.name)\" has not used the link of that name yet, which parley run prints. \"#\(found.name)\" is a group")
        }
        return chat
    }

    private func check(_ progress: GroupDelivery.Progress) throws {
        guard progress.outstanding > 0 else { return }
        let members = "\(progress.outstanding) of \(progress.recipients) members"
        if wait {
            throw Outcome.Failed(
                "chat.notConfirmed",
                description: "\(members) did not confirm the message within \(timeout) seconds; it is stored, and sent where routers can be reached")
        }
        throw Outcome.Failed(
            "chat.notDelivered",
            description: "the routers of \(members) did not take the message within \(timeout) seconds; it is stored, and sent when the router can be reached")
    }

    private func check(_ outcome: DeliveryOutcome) throws {
        switch outcome {
        case .reached: return
        case .failed: throw Outcome.Failed("chat.undeliverable", description: "the message cannot be delivered: the contact's queue refuses it")
        case .deleted: throw Outcome.Failed("chat.undeliverable", description: "the message was deleted before it was delivered")
        case .timedOut where wait:
            throw Outcome.Failed(
                "chat.notConfirmed",
                description: "the contact did not confirm the message within \(timeout) seconds; it is stored, and sent if the router can be reached")
        case .timedOut:
            throw Outcome.Failed(
                "chat.notDelivered",
                description: "the router did not take the message within \(timeout) seconds; it is stored, and sent when the router can be reached")
        }
    }
}

/// Finds profiles by name.
struct ProfileFinder {
    let core: any ChatCore

    func all() async throws(ChatCoreError) -> [User] {
        do throws(ChatCoreError) {
            guard case .usersList(let users) = try await core.send(.users(.list), as: nil) else { return [] }
            return users.map(\.user)
        } catch {
            guard error.isNoActiveUser else { throw error }
            return []
        }
    }

    /// The profile of a name, or the only one.
    func profile(named name: String?) async throws -> User { try Self.choose(name, among: try await all(), name: \.localDisplayName) }

    /// The one of a name, or the only one.
    static func choose<Profile>(_ name: String?, among profiles: [Profile], name nameOf: (Profile) -> String) throws -> Profile {
        let names = profiles.map { VisibleText.name(nameOf($0)) }.joined(separator: ", ")
        guard let name else {
            if profiles.count == 1 { return profiles[0] }
            throw Outcome.BadInput(
                "profile.unnamed",
                description: profiles.isEmpty
                    ? "the data folder has no profiles yet: start with parley run or parley chat" : "there are several profiles: say which one, of \(names)")
        }
        guard let profile = profiles.first(where: { nameOf($0) == name }) else {
            let nearest = Spelling.nearest(to: name, among: profiles.map(nameOf)).map { "; did you mean \"\(VisibleText.name($0))\"?" } ?? ""
            throw Outcome.BadInput(
                "profile.unknown", description: "there is no profile \"\(name)\"; there are: \(names.isEmpty ? "none" : names)\(nearest)")
        }
        return profile
    }
}
