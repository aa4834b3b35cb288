import Testing

@testable import ParleyTesting

/// The depth that the environment asks for.
@Suite struct TestDepthTests {
    @Test(arguments: [(nil, TestDepth.chat), ("", .chat), ("chat", .chat), ("engine", .engine), ("live", .live)])
    func aNameIsTakenAsItIsWritten(_ name: String?, _ depth: TestDepth) throws { #expect(try TestDepth(named: name) == depth) }

    @Test(arguments: ["Engine", "engin", " engine", "router", "0"]) func aNameOfNoDepthIsRefusedWithThoseThatThereAre(_ name: String) {
        let error = #expect(throws: TestRoomError.self) { try TestDepth(named: name) }
        #expect(error?.description == "PARLEY_TEST_DEPTH is \"\(name)\", and has to be one of chat, engine, live")
    }
}
