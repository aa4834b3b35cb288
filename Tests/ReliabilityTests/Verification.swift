import Parley
import ProcessSupport
import Testing

/// Stops everything as a person does, and compares what was accepted with both chats as the databases have them: everything must be there
/// once and in order.
func verify(_ exchange: Exchange, sentFrom sender: CoreHost, on deployment: Deployment, _ plan: KillPlan) async throws {
    let exitCodes = try await deployment.stop()
    #expect(exitCodes.allSatisfy { $0 == 0 }, "\(plan): \(exitCodes)")
    let accepted = await exchange.accepted
    let toll = await deployment.toll
    #expect(toll.isModest(messages: 2 * accepted.count), "\(plan): \(toll)")
    print("\(plan), \(deployment.layout): \(toll)")
    let here = try await exchange.chat()
    await sender.close()
    let bot = try await deployment.open("bot")
    let there = try await ChatTexts(core: bot.core)
    await bot.close()
    let answers = accepted.map { Deployment.answer(to: $0) }
    expectSame(here.sent, accepted, "\(plan): messages in the sender's chat")
    expectSame(there.received, accepted, "\(plan): messages in the bot's chat")
    expectSame(there.sent, answers, "\(plan): answers in the bot's chat")
    expectSame(here.received, answers, "\(plan): answers in the sender's chat")
}

/// Says what is missing, doubled or out of order, instead of two long lists.
func expectSame(_ found: [String], _ expected: [String], _ what: String) {
    guard found != expected else { return }
    let missing = Set(expected).subtracting(found).sorted(), unknown = Set(found).subtracting(expected).sorted()
    let doubled = Dictionary(grouping: found) { $0 }.filter { $1.count > 1 }.keys.sorted()
    let firstOutOfPlace = zip(found, expected).enumerated().first { $1.0 != $1.1 }.map { "\($0.offset): \($0.element.0) instead of \($0.element.1)" }
    Issue.record("\(what): missing \(missing), doubled \(doubled), unknown \(unknown), first out of place \(firstOutOfPlace ?? "none")")
}
