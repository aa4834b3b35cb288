import Foundation
import ProcessSupport
import Testing

@Suite struct UnreadCountTests {
    @Test func onlyWhatIsShownCountsAsUnread() async throws {
        let folder = try ScratchFolder("unread")
        defer { folder.remove() }
        let router = try ParleyProgram.start(["server", "smp", "start", "--port", "0", "--json", "--data", folder("router")], log: folder("log"))
        let address = try #require(try await router.ready().address)
        func person(_ name: String) throws -> ChildProcess {
            try ParleyProgram.start(
                ["chat", "--data", folder(name), "--name", name, "--server", address, "--json"], input: nil, log: folder("log"))
        }
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
        router.send(.terminate)
        #expect(try await router.exit() == 0)
    }
}
