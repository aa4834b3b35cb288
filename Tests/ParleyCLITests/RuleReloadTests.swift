import Foundation
import ProcessSupport
import TestSupport
import Testing

/// `parley run` while its file changes.
@Suite struct RuleReloadTests {
    private static func file(_ rule: String) -> String {
        "parley: 1\nprofiles:\n  echo:\n    rules:\n      - { when: { message: text }, then: { \(rule) } }\n"
    }

    private func next(_ bots: ChildProcess, _ result: String) async throws -> String {
        try await bots.output.first("rules \(result)", within: Patience.limit) { line in
            line.contains(#""event":"rules""#) && line.contains(#""result":"\#(result)""#) ? line : nil
        }
    }

    @Test func aChangedFileTakesEffectAndABrokenOneDoesNot() async throws {
        let folder = try ScratchFolder("reload")
        defer { folder.remove() }
        try folder.write(Self.file("reply: one"), to: "bots.yaml")
        let bots = try ParleyProgram.start(["run", folder("bots.yaml"), "--json", "--data", folder("data")], log: folder("log"))
        _ = try await bots.ready()
        try folder.write(Self.file("replly: two"), to: "bots.yaml")
        #expect(try await next(bots, "refused").contains(#""errors":1"#))
        let log = bots.logTail(40)
        #expect(log.contains("the previous rules stay in force") && log.contains(#""code":"unknown-key""#) && log.contains(#""line":"5""#), "\(log)")
        #expect(log.split(separator: "\n").allSatisfy { $0.hasPrefix("{") }, "whoever reads JSON gets nothing else: \(log)")
        try folder.write(Self.file("reply: three").replacing("rules:", with: "bio: new\n    rules:"), to: "bots.yaml")
        #expect(try await next(bots, "replaced").contains("bio of profile echo"))
        bots.send(.hangUp)
        #expect(try await next(bots, "replaced").contains("bio of profile echo"))
        // Touched, and then changed: the first is not said.
        try folder.write(Self.file("reply: three").replacing("rules:", with: "bio: new\n    rules:"), to: "bots.yaml")
        try folder.write(Self.file("reply: four").replacing("echo:", with: "other:"), to: "bots.yaml")
        #expect(try await next(bots, "refused").contains(#""errors":1"#))
        #expect(bots.logTail(40).contains("the file has no profile that runs"))
        bots.send(.terminate)
        #expect(try await bots.exit() == 0)
    }
}
