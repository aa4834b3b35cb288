import ChatAPI
import ChatProtocol
import Foundation
import Parley
import ProcessSupport
import TestSupport

/// An example bot as a process that is killed and started again, with a router beside it that stays.
actor ExampleDeployment {
    private let program: String
    private let environment: [String: String]
    private let folder: ScratchFolder
    private let router: ChildProcess
    private let routerAddress: String
    private var bot: ChildProcess
    private let link: String

    /// - Parameter program: the product of an example, built beside this program.
    init(_ program: String, environment: [String: String] = [:], in folder: ScratchFolder) async throws {
        self.program = program
        self.folder = folder
        let port = try LoopbackPort.free()
        router = try ParleyProgram.start(
            ["server", "smp", "--data", folder("router"), "--port", "\(port.number)", "--json"], log: folder("router.log"))
        guard let address = try await router.ready().address else { throw RunFault("the router did not print its address") }
        routerAddress = address
        self.environment = environment.merging(["PARLEY_DATA": folder("bot"), "PARLEY_SERVER": address, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        bot = try Self.start(program, self.environment, folder)
        link = try await bot.output.peek("the address of the bot", within: Patience.limit) { line in
            line.firstMatch(of: /(https:\/\/|simplex:\/)\S+/).map { String($0.0) }
        }
    }

    /// Kills the bot at a random moment, and starts it again without waiting until it is ready. The times are what is tested.
    func carryOut(_ kill: KillPlan.Kill) async throws {
        try await PlannedPause.pass(milliseconds: kill.delay)
        bot.kill()
        let exitCode = try await bot.exit()
        guard exitCode == ProcessSignal.kill.exitStatus else { throw RunFault("\(program) had ended by itself with exit code \(exitCode):\n\(log)") }
        try await PlannedPause.pass(milliseconds: kill.downtime)
        bot = try Self.start(program, environment, folder)
    }

    /// Ends all processes at once.
    func abandon() {
        bot.kill()
        router.kill()
    }

    /// The end of what the bot said on standard error.
    nonisolated var log: String {
        let text = (try? String(contentsOfFile: folder("bot.log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(20).joined(separator: "\n")
    }

    private static func start(_ program: String, _ environment: [String: String], _ folder: ScratchFolder) throws -> ChildProcess {
        let path = URL(fileURLWithPath: ParleyProgram.path).deletingLastPathComponent().appendingPathComponent(program).path
        return try ChildProcess(path, [], environment: environment, log: folder("bot.log"))
    }

    /// Somebody who talks to the bot, on a core of this process.
    ///
    /// - Parameter isTrusted: true for a trusted contact of that name.
    func person(_ name: String, isTrusted: Bool = false) async throws -> Interlocutor {
        let link = isTrusted ? try await invitation(of: name) : link
        var configuration = HostConfiguration(dataFolder: folder(name), servers: [routerAddress])
        try configuration.network.set(.retryPause, to: "200")
        return try await Interlocutor(name, on: try await CoreHost.open(configuration), to: link)
    }

    /// The link that the bot prints for a trusted contact. The bot must not have been killed yet.
    private func invitation(of name: String) async throws -> String {
        let title = "\(name) can connect once, as a trusted contact, at"
        _ = try await bot.output.first("the title of the link", within: Patience.limit) { $0 == title ? true : nil }
        let address = link
        return try await bot.output.peek("the link of \(name)", within: Patience.limit) { $0.hasPrefix("https://") && $0 != address ? $0 : nil }
    }

    /// Ends the bot, and opens what it has stored.
    func openBotData() async throws -> CoreHost {
        bot.kill()
        _ = try await bot.exit()
        return try await CoreHost.open(HostConfiguration(dataFolder: folder("bot"), servers: [routerAddress]))
    }
}

/// Somebody who talks to a bot, as its contact or in its group, and keeps what it said.
struct Interlocutor: Sendable {
    let name: String
    let host: CoreHost
    private let user: UserID
    private let chat: ChatReference

    init(_ name: String, on host: CoreHost, to link: String) async throws {
        self.name = name
        self.host = host
        let new = NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: false)
        guard case .activeUser(let user) = try await host.core.send(.users(.create(new)), as: nil) else { throw RunFault("no profile was made") }
        self.user = user.userID
        let events = host.core.events()
        _ = try await host.core.send(.core(.start()), as: nil)
        _ = try await host.core.send(.connections(.connectLink(link)), as: user.userID)
        var chat: ChatReference?
        for try await event in events {
            switch event {
            case .contactConnected(_, let contact, _): chat = .direct(contact.contactID)
            case .userJoinedGroup(_, let group, _): chat = .group(group.groupID)
            default: continue
            }
            break
        }
        guard let chat else { throw RunFault("\(name) is not connected") }
        self.chat = chat
    }

    func say(_ text: String) async throws {
        guard let target = SendTarget(chat) else { throw RunFault("nothing can be sent to the bot") }
        _ = try await host.core.send(.messages(.send(to: target, [ComposedMessage(content: .text(text))])), as: user)
    }

    /// The items of the chat, oldest first.
    func items() async throws -> [ChatItem] { try await host.items(of: chat, user: user) }

    /// The texts that others have sent, oldest first: those of the bot, and in a group those of other members.
    func heard() async throws -> [String] { try await items().filter { $0.isMessage && $0.direction.isReceived }.map(\.meta.text) }

    /// Waits until the items of the chat fulfil a condition.
    func see(_ what: String, _ isFulfilled: ([ChatItem]) -> Bool) async throws {
        do {
            try await eventually("\(name) has \(what)", within: Patience.limit, every: .milliseconds(20)) { isFulfilled(try await items()) }
        } catch let error as TimeLimitError {
            throw RunFault("\(error): \(try await items().map(\.meta.text))")
        }
    }

    /// Waits until the bot has said so much.
    func hear(_ count: Int) async throws {
        do {
            try await eventually("\(name) hears \(count) messages", within: Patience.limit, every: .milliseconds(20)) { try await heard().count >= count }
        } catch let error as TimeLimitError {
            throw RunFault("\(error): \(try await heard())")
        }
    }
}

extension CoreHost {
    /// The newest 2,000 items of a chat, oldest first.
    func items(of chat: ChatReference, user: UserID) async throws -> [ChatItem] {
        guard case .apiChat(_, let page, _) = try await core.send(.chats(.page(chat, pagination: .last(2_000))), as: user) else { return [] }
        return page.chatItems
    }
}
