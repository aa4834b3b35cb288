import Foundation
import ProcessSupport
import Testing

/// People who talk from terminals over a router of their own.
@Suite struct TerminalChatTests {
    private func withRouter(_ body: (_ person: (_ name: String, _ lines: String...) throws -> ChildProcess) async throws -> Void) async throws {
        let folder = try ScratchFolder("terminals")
        defer { folder.remove() }
        let router = try ParleyProgram.start(["server", "smp", "start", "--port", "0", "--json", "--data", folder("router")], log: folder("log"))
        let address = try #require(try await router.ready().address)
        try await body { name, lines in
            let scripted = lines.flatMap { ["--exec", $0] }
            return try ParleyProgram.start(
                ["chat", "--data", folder(name), "--name", name, "--server", address, "--json"] + scripted, input: nil, log: folder("log"))
        }
        router.send(.terminate)
        #expect(try await router.exit() == 0)
    }

    @Test func onlyWhatIsShownCountsAsUnread() async throws {
        try await withRouter { person in
            let ann = try person("Ann"), bob = try person("Bob"), cath = try person("Cath")
            try ann.type(":invite")
            try bob.type(":connect \(try await ann.link())")
            try await ann.said(#""event":"connected""#, #""chat":"Bob""#)
            try ann.type(":address")
            try cath.type(":connect \(try await ann.link())")
            try await ann.said("Cath asks to connect")
            try ann.type(":accept Cath")
            try await ann.said(#""event":"connected""#, #""chat":"Cath""#)
            try ann.type(":open Bob")
            try cath.type("one")
            try await ann.said(#""from":"Cath""#, #""text":"one""#)
            try ann.type(":list")
            try await ann.said(#""event":"chat""#, #""name":"Cath""#, #""unread":1"#)
            // What was read counts no more.
            try ann.type(":open Cath")
            try ann.type(":history 5")
            try await ann.said(#""text":"one""#)
            try ann.type(":list")
            try await ann.said(#""event":"chat""#, #""name":"Cath""#, #""unread":0"#)
            for person in [ann, bob, cath] {
                person.endInput()
                #expect(try await person.exit() == 0, "\(person.logTail())")
            }
        }
    }

    @Test func aMessageThatIsNotTriedAgainIsToldAtOnceAndFailsAScript() async throws {
        try await withRouter { person in
            let ann = try person("Ann"), bob = try person("Bob")
            try ann.type(":invite")
            try bob.type(":connect \(try await ann.link())")
            try await ann.said(#""event":"connected""#, #""chat":"Bob""#)
            try await bob.said(#""event":"connected""#, #""chat":"Ann""#)
            // While new keys are agreed nothing can be sent, and Ann, who is away, does not answer.
            ann.endInput()
            #expect(try await ann.exit() == 0, "\(ann.logTail())")
            try bob.type(":sync")
            try await bob.said("Agreeing on new keys")
            try bob.type("hello?")
            try await bob.said("not delivered to Ann, and not tried again", "hello?")
            try await bob.said(#""event":"error""#, "chat.undeliverable")
            bob.endInput()
            #expect(try await bob.exit() == 0, "\(bob.logTail())")
            // Nothing is said of a router that will take it.
            #expect(await bob.restOfOutput().allSatisfy { !$0.contains("as soon as") })
            let script = try person("Bob", "anybody?", ":list")
            try await script.said(#""event":"error""#, "chat.undeliverable")
            #expect(try await script.exit() == 1, "\(script.logTail())")
            #expect(await script.restOfOutput().allSatisfy { !$0.contains(#""event":"chat""#) }, "a script ends with the line that failed")
        }
    }
}
