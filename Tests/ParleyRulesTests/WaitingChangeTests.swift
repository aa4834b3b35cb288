import Parley
import Testing

@testable import ParleyRules

/// The parts of a changed file that take effect at once, and those that wait for another start.
@Suite struct WaitingChangeTests {
    private static let file = """
        parley: 1
        lists: { bad: { words: casino } }
        profiles:
          echo:
            forms: { f: { questions: [ { name: q, ask: x } ], done: { send: x } } }
            rules: [ { id: r, when: { command: help }, description: Help, then: { send: x } } ]
            tests: [ { say: /help, expect: r } ]
          other: { relay: true }
        """

    @Test(arguments: [
        ("parley: 1", "parley: 1\nnetwork: { smp-proxy: always }", ["network"]), ("parley: 1", "parley: 1\nmetrics: { port: 9155 }", ["metrics"]),
        ("parley: 1", "parley: 1\nwebhooks: { port: 8080, token: { env: T } }", ["webhooks"]), ("  other:", "  new: {}\n  other:", ["profile new is new"]),
        ("parley: 1", "parley: 1\njoins: { burst: 5 }", ["joins"]),
        ("  other:", "  else:", ["profile else is new", "profile other is gone"]), ("echo:\n", "echo:\n    name: Echo\n", ["name of profile echo"]),
        ("echo:\n", "echo:\n    bio: x\n", ["bio of profile echo"]), ("echo:\n", "echo:\n    picture: a.png\n", ["picture of profile echo"]),
        ("echo:\n", "echo:\n    receive-files: { up-to: 1mb }\n", ["receive-files of profile echo"]),
        ("echo:\n", "echo:\n    address: { welcome: Hello }\n", ["address of profile echo"]),
        ("echo:\n", "echo:\n    address: { accept: business }\n", ["address of profile echo"]),
        ("echo:\n", "echo:\n    pace: off\n", ["pace of profile echo"]),
        ("echo:\n", "echo:\n    groups: { g: { review: true } }\n", ["groups of profile echo"]),
        ("echo:\n", "echo:\n    channels: { c: { relays: other } }\n", ["channels of profile echo"]),
        ("relay: true", "relay: { channels: 5 }", ["relay of profile other"]),
        ("echo:\n", "echo:\n    retention: 30d\n", ["retention of profile echo"]),
        ("echo:\n", "echo:\n    handle-when-muted: true\n", ["handle-when-muted of profile echo"]),
        ("echo:\n", "echo:\n    schedules: [ { id: s, every: 1h, to: contacts, send: x } ]\n", ["schedules of profile echo"]),
        ("description: Help", "description: Halp", ["menu of profile echo"]), ("command: help", "command: halp", ["menu of profile echo"]),
        ("command: help", "command: help, chat: any", ["menu of profile echo"]),
        // Rules, lists, forms and tests are replaced.
        ("then: { send: x } }", "then: { send: y } }", []), ("words: casino", "words: lottery", []), ("ask: x", "ask: y", []),
        ("id: r,", "id: r, mode: audit,", []),
        ("echo:\n", "echo:\n    mode: audit\n", []), ("    tests: [ { say: /help, expect: r } ]\n", "", []), ("parley: 1", "# a comment\nparley: 1", []),
        ("echo:\n", "echo:\n    name: echo\n", []), ("echo:\n", "echo:\n    address: { accept: automatic }\n", []),
    ])
    func whatNeedsAnotherStartIsSaid(_ part: String, _ changed: String, _ waiting: [String]) throws {
        let text = Self.file.replacing(part, with: changed, maxReplacements: 1)
        #expect(text != Self.file)
        let rules = try RunningRules(BotsFile(parsing: Self.file))
        #expect(try rules.replace(with: BotsFile(parsing: text)) == waiting)
        #expect(try rules.replace(with: BotsFile(parsing: text)) == waiting, "what waits is told of each file: the start was with another")
        #expect(try rules.replace(with: BotsFile(parsing: Self.file)) == [], "the file of the start waits for nothing")
    }

    @Test func aFileOfOtherBotsChangesNothing() throws {
        let rules = try RunningRules(BotsFile(parsing: Self.file))
        let error = try #require(throws: RuleReplacementError.self) { try rules.replace(with: BotsFile(parsing: "parley: 1\nprofiles: { a: {}, b: {} }")) }
        #expect(error == RuleReplacementError(running: ["echo", "other"], found: ["a", "b"]))
        #expect("\(error)".contains("echo, other run, and it has a, b"))
    }
}
