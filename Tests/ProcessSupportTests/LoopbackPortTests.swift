import ProcessSupport
import Testing

@Suite struct LoopbackPortTests {
    @Test func `A free port is one that nothing listens on`() throws {
        let port = try LoopbackPort.free()
        #expect((1024...65_535).contains(port))
        #expect(!LoopbackPort.isOpen(port))
    }
}
