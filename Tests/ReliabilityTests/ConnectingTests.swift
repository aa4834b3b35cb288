import ChatAPI
import ChatProtocol
import Foundation
import Parley
import ProcessSupport
import Synchronization
import TestSupport
import Testing

/// Bot and router are killed while people connect to the bot.
///
/// The environment variables `PARLEY_PEOPLE`, `PARLEY_KILLS` and `PARLEY_SEED` make the run longer or repeat its plan.
@Suite struct ConnectingTests {
    @Test(.serialized, .timeLimit(.minutes(30)), arguments: Deployment.Layout.allCases)
    func whoeverIsConnectingIsConnectedInTheEndAndAnsweredWhateverIsKilled(_ layout: Deployment.Layout) async throws {
        try await KillPlan.carryOut(try KillPlan.fromEnvironment("PARLEY_PEOPLE", else: 5, kills: 3), "connect", layout, run)
    }

    private func run(_ plan: KillPlan, on deployment: Deployment) async throws {
        let started = ContinuousClock.now
        let people = try await withThrowingTaskGroup(of: Person?.self) { group in
            let arrivals = (0...plan.messages).map { _ in Turn() }
            arrivals[0].begin()
            for number in 1...plan.messages {
                group.addTask {
                    // One after another begins to connect; how long it takes, and what is killed meanwhile, is another matter.
                    await arrivals[number - 1].wait()
                    // Whoever waits goes on after a failure, too, so that it is told and not waited for.
                    defer { arrivals[number].begin() }
                    let person = try await Person("person\(number)", on: deployment)
                    arrivals[number].begin()
                    try await person.connect(on: deployment)
                    return person
                }
            }
            group.addTask {
                for kill in plan.kills {
                    await arrivals[kill.afterMessages].wait()
                    try await deployment.carryOut(kill)
                }
                return nil
            }
            return try await group.reduce(into: [Person]()) { people, person in people += person.map { [$0] } ?? [] }
        }
        #expect(people.count == plan.messages)
        for person in people {
            let answer = try await person.ask("question of \(person.name)")
            #expect(answer == Deployment.answer(to: "question of \(person.name)"))
        }
        print("\(plan.messages) people, \(plan.kills.count) kills: \(started.duration(to: .now))")
        let exitCodes = try await deployment.stop()
        #expect(exitCodes.allSatisfy { $0 == 0 }, "\(exitCodes)")
        for person in people { await person.close() }
        try await expectOneContactEach(people.map(\.name), deployment)
    }
}

/// The bot has everybody once, and what they asked.
func expectOneContactEach(
    _ names: [String], asking question: (String) -> String = { "question of \($0)" }, _ deployment: Deployment
) async throws {
    let bot = try await deployment.open("bot")
    defer { Task { await bot.close() } }
    guard case .usersList(let users) = try await bot.core.send(.users(.list), as: nil), let user = users.first?.user,
        case .apiChats(_, let chats) = try await bot.core.send(.chats(.list(user: user.userID)), as: user.userID)
    else { throw RunFault("the bot's chats were not read") }
    let contacts = chats.compactMap { chat -> Contact? in if case .direct(let contact) = chat.chatInfo { contact } else { nil } }
    #expect(contacts.map(\.profile.displayName).sorted() == names.sorted())
    for contact in contacts {
        let texts = try await ChatTexts(core: bot.core, user: user, contact: contact)
        #expect(texts.received == [question(contact.profile.displayName)])
    }
}

/// Somebody with a core in this process.
actor Person {
    nonisolated let name: String
    private let host: CoreHost
    private let user: User
    private let events: ChatEvents
    private var contact: Contact?

    init(_ name: String, on deployment: Deployment) async throws {
        self.name = name
        host = try await deployment.open(name)
        let profile = NewUser(profile: Profile(displayName: name, fullName: ""), pastTimestamp: false, isChatRelay: false)
        guard case .activeUser(let user) = try await host.core.send(.users(.create(profile)), as: nil) else {
            throw RunFault("no profile was made")
        }
        self.user = user
        events = host.core.events()
        _ = try await host.core.send(.core(.start()), as: nil)
    }

    /// Connects. What fails because the router cannot be reached is tried again, as a person does.
    func connect(on deployment: Deployment) async throws {
        try await withTimeLimit(.seconds(120), else: "\(name) is not connected") { try await self.connectAtLast(on: deployment) }
    }

    private func connectAtLast(on deployment: Deployment) async throws {
        while true {
            do throws(ChatCoreError) {
                _ = try await host.core.send(.connections(.connectLink(deployment.botAddress)), as: user.userID)
                break
            } catch {
                guard error.code.rawValue.hasPrefix("errorAgent.BROKER") else { throw error }
                await deployment.waitForRouter()
            }
        }
        for try await event in events {
            guard case .contactConnected(_, let contact, _) = event else { continue }
            self.contact = contact
            return
        }
        throw RunFault("\(name): the core has ended")
    }

    /// Sends a message and waits for the answer.
    func ask(_ text: String) async throws -> String {
        try await send(text)
        return try await answer()
    }

    /// Sends a message.
    func send(_ text: String) async throws {
        guard let contact, let target = SendTarget(.direct(contact.contactID)) else { throw RunFault("\(name) is not connected") }
        _ = try await host.core.send(.messages(.send(to: target, [ComposedMessage(content: .text(text))])), as: user.userID)
    }

    /// Waits for a message.
    func answer() async throws -> String { try await withTimeLimit(.seconds(120), else: "\(name) got no answer") { try await self.nextMessage() } }

    private func nextMessage() async throws -> String {
        for try await event in events {
            guard case .newChatItems(_, let items) = event,
                let item = items.first(where: { $0.chatItem.direction == .directReceived && $0.chatItem.isMessage })
            else { continue }
            return item.chatItem.meta.text
        }
        throw RunFault("\(name): the core has ended")
    }

    func close() async { await host.close() }
}

/// A moment that others wait for.
final class Turn: Sendable {
    private let state = Mutex<(hasBegun: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func begin() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        waiting.forEach { $0.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let hasBegun = state.withLock { state in
                if !state.hasBegun { state.waiting.append(continuation) }
                return state.hasBegun
            }
            if hasBegun { continuation.resume() }
        }
    }
}
