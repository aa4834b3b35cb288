import Foundation
import Parley
import ParleyTesting
import Synchronization
import Testing

@testable import ParleyRules

/// Conditions, actions and plugins of a program, with people who talk to the bots.
@Suite(.timeLimit(.minutes(5))) struct ExtensionConversationTests {
    @Test func eachInstanceOfAPluginHasItsOwnConfigurationAndState() async throws {
        let extensions = try RuleExtensions(plugins: [Weather.self], conditions: [digits], actions: [echoes])
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  rome: { plugin: weather, config: { city: Rome } }
                  york:
                    plugin: weather
                    config: { city: New York, unit: fahrenheit }
                    rules:
                      - { when: { digits: { above: 2 } }, then: { repeat: { text: "{{ contact.name }}!" } } }
                """, extensions: extensions)
        try await withBots(file.makeBots()) { room in
            let ann = try await room.person("Ann", with: "rome"), bob = try await room.person("Bob", with: "york")
            try await ann.say("/weather")
            try await ann.expect("Rome: 20 °C, asked 1")
            try await bob.say("/weather")
            try await bob.expect("New York: 68 °F, asked 1")
            try await room.restart()
            try await ann.say("/weather")
            try await ann.expect("Rome: 20 °C, asked 2")
            // The rules of the profile come first.
            try await bob.say("/weather 1234")
            try await bob.expect("Bob!")
            try await bob.expect("Bob!")
            try await bob.expectNothing()
        }
    }

    @Test func anEffectOfAnActionHasTheSameKeyWhenItRunsAgain() async throws {
        let keys = Mutex<[String?]>([])
        let action = CustomAction("note", "", Bool.self) { _, event in
            keys.withLock { $0.append(event.idempotencyKey()) }
            keys.withLock { $0.append(event.idempotencyKey()) }
        }
        let file = try BotsFile(
            parsing: "parley: 1\nprofiles: { a: { rules: [ { when: { message: any }, then: [ { note: true }, { reply: ok } ] } ] } }",
            extensions: RuleExtensions(actions: [action]))
        try await withBots(file.makeBots()) { room in
            let ann = try await room.person("Ann")
            try await ann.say("one")
            try await ann.expect("ok")
            try await ann.say("two")
            try await ann.expect("ok")
        }
        let found = keys.withLock { $0.compactMap(\.self) }
        #expect(found.count == 4)
        #expect(Set(found).count == 4)
        // The key is made of the message and the number of the effect, not of the run.
        #expect(found[0].hasSuffix("/1") && found[1].hasSuffix("/2") && found[2].hasSuffix("/1"))
    }

    @Test func everyScheduleOfOneTimeIsSentAndThePluginStarts() async throws {
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  clock:
                    plugin: starter
                    schedules:
                      - { id: one, at: "2026-01-01 06:00", to: contacts, send: one }
                      - { id: two, at: "2026-01-01 07:00", to: contacts, send: two }
                """, extensions: RuleExtensions(plugins: [Starter.self]))
        try await withBots(file.makeBots()) { room in
            let ann = try await room.person("Ann")
            try await room.advance(by: .seconds(8 * 3_600))
            try await ann.expect("one")
            try await ann.expect("two")
            try await ann.expectNothing()
            #expect(try await room.bot("clock").state(Starter.Started.self).isSet)
        }
    }
}

private struct Starter: BotPlugin {
    struct Started: StoredState { var isSet = false }
    static let name = "starter"
    static let summary = "Notes its start."

    init(_ configuration: NoConfiguration, instance: PluginInstance) {}

    var handlers: Handlers { Handlers { On(.started) { start in try await start.client.update(Started.self) { $0.isSet = true } } } }
}
