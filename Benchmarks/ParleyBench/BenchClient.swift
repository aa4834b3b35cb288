import ChatProtocol
import OfficialPeers
import ProcessSupport
import Synchronization

/// A program with the chat API, whose events are counted.
final class BenchClient: Sendable {
    private let client: OfficialClient
    let tally: Tally

    private init(_ client: OfficialClient) {
        self.client = client
        tally = Tally(client.events.stream())
    }

    /// Starts the program and sees to it that it has a profile.
    static func start(_ name: String, _ options: OfficialClient.Options) async throws -> BenchClient {
        let client = BenchClient(try OfficialClient(name, options))
        try await client.client.start()
        if case .parley = options.program {
            let isRelay = options.arguments.contains("--relay")
            try await client.createProfile(name, isRelay: isRelay)
            try await client.send("/_start")
            if isRelay { try await client.send("/_address 1") }
        }
        return client
    }

    var process: ChildProcess? { client.process }
    /// The path of the databases of `parley api`, without the end of their names.
    var databasePrefix: String { client.folder.path + "/data/parley" }
    var filesFolder: String { client.folder.path + "/files" }

    func stop() async { await client.stop(.terminate) }

    func restart() async throws { try await client.start() }

    @discardableResult
    func send(_ command: String) async throws -> JSONValue { try await client.send(command) }

    /// Makes a profile, which becomes the active one.
    ///
    /// - Returns: its id.
    @discardableResult
    func createProfile(_ name: String, isRelay: Bool = false) async throws -> Int64 {
        let profile = JSONValue.object(["displayName": .string(name), "fullName": ""])
        let json = JSONValue.object(["profile": profile, "pastTimestamp": false, "userChatRelay": .bool(isRelay)])
        guard let id = try await send("/_create user \(json.text)")["user"]?["userId"]?.intValue else { throw BenchFault("no profile came") }
        return id
    }

    /// An address that accepts everybody.
    func createAddress() async throws -> BenchLink {
        let link = try BenchLink(try await send("/_address 1")["connLinkContact"])
        try await send(#"/_address_settings 1 {"businessAddress": false, "autoAccept": {"acceptIncognito": false}}"#)
        return link
    }

    /// A link for one contact.
    func createInvitation(user: Int64 = 1) async throws -> BenchLink {
        try BenchLink(try await send("/_connect \(user)")["connLinkInvitation"])
    }

    /// Joins by a link and waits until the contact is there on this side.
    ///
    /// - Parameter user: becomes the active profile, as the command asks for.
    /// - Returns: the contact's id.
    func connect(_ link: BenchLink, user: Int64 = 1) async throws -> Int64 {
        try await beginToConnect(link, user: user)
        return try await tally.contact(of: user)
    }

    /// Joins by a link.
    func beginToConnect(_ link: BenchLink, user: Int64) async throws {
        try await send("/_user \(user)")
        try await send("/_connect \(user) \(link.words)")
    }

    func sendText(_ text: String, to contact: Int64, copies: Int = 1) async throws {
        let message = JSONValue.object(["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]])
        try await send("/_send @\(contact) json \(JSONValue.array(Array(repeating: message, count: copies)).text)")
    }

    func sendText(_ text: String, toGroup group: Int64) async throws {
        let message = JSONValue.object(["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]])
        try await send("/_send #\(group) json \(JSONValue.array([message]).text)")
    }

    /// Answers each text with the same text, quoting it, from now on.
    func answerEverything() async {
        tally.answer { [client] received in
            let message = JSONValue.object([
                "quotedItemId": .number(JSONNumber(received.item)), "msgContent": ["type": "text", "text": .string(received.text)],
                "mentions": [:],
            ])
            Task { _ = try? await client.send("/_send @\(received.contact) json [\(message.text)]") }
        }
    }
}
