import Parley
import ParleyRules
import ParleyTesting
import Testing

/// Rules that are replaced while bots run.
@Suite(.timeLimit(.minutes(10))) struct RunningRulesTests {
    private func file(_ text: String) throws -> BotsFile { try BotsFile(parsing: "parley: 1\nprofiles:\n  echo:\n    rules: \(text)\n") }

    @Test func theNextMessageSeesTheNewRules() async throws {
        let rules = try RunningRules(file("[ { when: { message: any }, then: { send: old } } ]"))
        try await withBots(rules.bots) { room in
            let ann = try await room.person("Ann")
            try await ann.say("hi")
            try await ann.expect("old")
            #expect(try rules.replace(with: file("[ { when: { message: any }, then: { send: new } } ]")) == [])
            try await ann.say("hi")
            try await ann.expect("new")
        }
    }

    @Test func whatNeedsAnotherStartIsSaid() throws {
        let rules = try RunningRules(file("[ { when: { message: any }, then: { send: x } } ]"))
        let other = try BotsFile(
            parsing: """
                parley: 1
                network: { smp-proxy: always }
                profiles:
                  echo: { bio: new, rules: [ { when: { command: help }, description: Help, then: { send: x } } ] }
                  more: {}
                """)
        #expect(try rules.replace(with: other) == ["network", "profile more is new", "bio of profile echo", "menu of profile echo"])
    }
}
