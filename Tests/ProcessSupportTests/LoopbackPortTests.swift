import NIOCore
import NIOPosix
import Testing

@testable import ProcessSupport

@Suite struct LoopbackPortTests {
    @Test func `A port is one that nothing listens on`() throws {
        let port = try LoopbackPort.free()
        #expect((1024...65_535).contains(port.number))
        #expect(!LoopbackPort.isOpen(port.number))
    }

    @Test func `A port that is held is not given to anyone else`() throws {
        let port = try LoopbackPort.free()
        #expect(LoopbackPort(port.number) == nil)
    }

    @Test func `A server listens on the port that is held for it`() async throws {
        let port = try LoopbackPort.free()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: port.number).get()
        #expect(LoopbackPort.isOpen(port.number))
        try await server.close()
    }
}
