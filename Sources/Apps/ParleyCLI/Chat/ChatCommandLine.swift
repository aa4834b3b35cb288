internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Hosting

/// `parley chat`: talk to people and bots from a terminal.
struct ChatCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Talk to people and bots from a terminal.",
        discussion: """
            Lines:
            \(ChatLine.usage)

            With --exec the given lines run one after another, and the command ends. A message counts as sent when \
            the router has it. Exit codes 1 and 2 tell that a line failed; those after it do not run.
            """)

    @Option(help: "The folder for databases and keys: one for each person.")
    var data = "parley-chat-data"

    @Option(help: "The name that others see. [default: the name of your account]")
    var name: String?

    @Option(help: "Connect by this link first.")
    var connect: String?

    @Option(name: .customLong("exec"), help: "Run this line and end; can be given several times.")
    var lines: [String] = []

    @OptionGroup var options: CommonOptions

    func run() async throws {
        FolderOwner.warn(of: data)
        var planned: [ChatLine] = try connect.map { [try parse(":connect \($0)")] } ?? []
        for line in lines { planned.append(try parse(line)) }
        try await CoreAccess.with(try options.configuration(data: data)) { [planned] host in
            let session = try await start(host)
            for line in planned {
                guard try await session.perform(line) else { return }
            }
            if lines.isEmpty { await converse(session) }
        }
    }

    private func start(_ host: CoreAccess) async throws -> ChatSession {
        let user = try await self.user(of: host.core)
        let session = ChatSession(
            core: host.core, user: user, printer: ChatPrinter(json: options.json), runsRouter: host.runsRouter,
            filesFolder: host.filesFolder)
        let events = host.core.events()
        Task { try await session.listen(to: events) }
        if lines.isEmpty, !options.json { Output.line("You are \(VisibleText.name(user.localDisplayName)). Type a message, or :help. Ctrl-D leaves.") }
        // What was said before comes before what has come since.
        try await session.openLast(showing: TerminalInput.isTerminal && lines.isEmpty ? 10 : 0)
        try await host.start()
        return session
    }

    private func user(of core: any ChatCore) async throws -> User {
        let users = try await ProfileFinder(core: core).all()
        let names = users.map { VisibleText.name($0.localDisplayName) }.joined(separator: ", ")
        guard users.count < 2 || name != nil else {
            throw Outcome.BadInput("chat.severalProfiles", description: "\(data) has the profiles \(names): say who you are with --name")
        }
        if let user = users.first(where: { name == nil || name == $0.localDisplayName }) { return user }
        if !users.isEmpty {
            let belongs = users.count == 1 ? "belongs to \(names): leave --name out" : "has the profiles \(names): give one of them with --name"
            throw Outcome.BadInput("chat.otherName", description: "\(data) \(belongs), or name another folder with --data")
        }
        let request = NewUser(profile: Profile(displayName: name ?? NSUserName(), fullName: ""), pastTimestamp: false, isChatRelay: false)
        guard case .activeUser(let user) = try await core.send(.users(.create(request)), as: nil) else {
            throw Outcome.Failed("core.invalidResponse", description: "no profile was made")
        }
        return user
    }

    private func converse(_ session: ChatSession) async {
        for await line in TerminalInput.lines(prompt: { await session.prompt }, candidates: { await session.completionNames() }) {
            do {
                guard case .text(let text) = line else {
                    throw Outcome.BadInput(
                        "chat.lineTooLong",
                        description: "the line was not sent: it is longer than \(InputLines.longest / 1_024) KiB. Send a long text as a file: :send FILE")
                }
                guard try await session.perform(ChatLine(text)) else { return }
            } catch {
                // A line that fails is said to the person, who continues.
                let fault = Fault(error)
                if options.json { Output.line(fault.json) } else { Output.line(fault.message) }
            }
        }
    }

    private func parse(_ text: String) throws -> ChatLine {
        do throws(ChatLine.Fault) {
            return try ChatLine(text)
        } catch {
            throw Outcome.BadInput(description: "\"\(text)\": \(error.message)")
        }
    }
}
