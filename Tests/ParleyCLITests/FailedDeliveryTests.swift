import Foundation
import ProcessSupport
import Testing

@Suite struct FailedDeliveryTests {
    @Test func aMessageThatIsNotTriedAgainIsToldAtOnce() async throws {
        let folder = try ScratchFolder("failed")
        defer { folder.remove() }
        let router = try ParleyProgram.start(["server", "smp", "start", "--port", "0", "--json", "--data", folder("router")], log: folder("log"))
        let address = try #require(try await router.ready().address)
        func person(_ name: String) throws -> ChildProcess {
            try ParleyProgram.start(
                ["chat", "--data", folder(name), "--name", name, "--server", address, "--json"], input: nil, log: folder("log"))
        }
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
        bob.endInput()
        #expect(try await bob.exit() == 0, "\(bob.logTail())")
        router.send(.terminate)
        #expect(try await router.exit() == 0)
    }
}
