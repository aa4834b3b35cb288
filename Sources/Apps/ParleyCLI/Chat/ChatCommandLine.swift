internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Parley

/// `parley chat`: talk to people and bots from a terminal.
struct ChatCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Talk to people and bots from a terminal.",
        discussion: """
            Lines:
            \(ChatLine.usage)

            With --exec the given lines are carried out one after another, and the command ends. A message counts as sent when \
            the router has it. Exit code 1 tells that a line failed.
            """)

    @Option(help: "The folder for databases and keys: one for each person.")
    var data = "parley-chat-data"

    @Option(help: "The name that others see. [default: the name of your account]")
    var name: String?

    @Option(help: "Connect by this link first.")
    var connect: String?

    @Option(name: .customLong("exec"), help: "Carry out this line and end; can be given several times.")
    var lines: [String] = []

    @OptionGroup var options: CommonOptions

    func run() async throws {
        var planned: [ChatLine] = try connect.map { [try parse(":connect \($0)")] } ?? []
        for line in lines { planned.append(try parse(line)) }
        let host = try await CoreHost.open(options.configuration(data: data))
        do {
            let session = try await start(host)
            if lines.isEmpty { try await converse(session, first: planned) } else { try await execute(planned, session) }
        } catch {
            await host.close()
            throw error
        }
        await host.close()
    }

    private func start(_ host: CoreHost) async throws -> ChatSession {
        let user = try await self.user(of: host.core)
        let session = ChatSession(core: host.core, user: user, json: options.json)
        let events = host.core.events()
        Task { try await session.listen(to: events) }
        _ = try await host.core.send(.core(.start()), as: nil)
        try await session.openLast()
        return session
    }

    private func user(of core: any ChatCore) async throws -> User {
        if let first = try await ProfileFinder(core: core).all().first { return first }
        let request = NewUser(profile: Profile(displayName: name ?? NSUserName(), fullName: ""), pastTimestamp: false, isChatRelay: false)
        guard case .activeUser(let user) = try await core.send(.users(.create(request)), as: nil) else {
            throw Outcome.Failed(description: "no profile was made")
        }
        return user
    }

    private func execute(_ lines: [ChatLine], _ session: ChatSession) async throws {
        for line in lines {
            guard try await session.perform(line) else { return }
        }
    }

    private func converse(_ session: ChatSession, first lines: [ChatLine]) async throws {
        if !options.json { Output.line("Type a message, or :help. Ctrl-D leaves.") }
        for line in lines { await attempt(line, session) }
        for await text in TerminalInput.lines(prompt: { await session.prompt }) {
            do throws(ChatLine.Fault) {
                let line = try ChatLine(text)
                guard await attempt(line, session) else { return }
            } catch {
                Output.line(error.message)
            }
        }
    }

    /// A line that fails is said to the person, who goes on.
    @discardableResult
    private func attempt(_ line: ChatLine, _ session: ChatSession) async -> Bool {
        do {
            return try await session.perform(line)
        } catch {
            Output.line((error as? ChatCoreError)?.message ?? "\(error)")
            return true
        }
    }

    private func parse(_ text: String) throws -> ChatLine {
        do throws(ChatLine.Fault) {
            return try ChatLine(text)
        } catch {
            throw Outcome.BadInput(description: "--exec '\(text)': \(error.message)")
        }
    }
}
