internal import Foundation
internal import Logging
internal import SMPProtocol
internal import SMPServer
internal import SMPWire

/// Starts a router inside the process.
///
/// Its port is part of every address that was given out, so it must stay what it was at the first start: it is kept in the
/// router's folder.
enum EmbeddedRouter {
    static func start(_ settings: EmbeddedRouterConfiguration, folder: String, logger: Logger) async throws -> SMPRouter {
        let portFile = folder + "/port"
        let kept = (try? String(contentsOfFile: portFile, encoding: .utf8)).flatMap { UInt16($0.filter(\.isNumber)) }
        let port = settings.port ?? kept ?? 0
        var configuration = RouterConfiguration(storage: .folder(folder))
        configuration.port = Int(port)
        // A router that others are told the name of must be heard on more than the loopback interface.
        configuration.host = settings.isLoopback ? "127.0.0.1" : "0.0.0.0"
        do throws(WireError) {
            configuration.advertisedHosts = [try TransportHost(wireString: settings.host)]
        } catch {
            throw HostError(.router, "\"\(settings.host)\" is not the name or the address of a host")
        }
        do throws(RouterError) {
            let router = try await SMPRouter.start(configuration, logger: logger)
            try? "\(router.port)\n".write(toFile: portFile, atomically: true, encoding: .utf8)
            return router
        } catch {
            guard error.code == .transport, port != 0 else { throw error }
            throw HostError(
                .router,
                "the router inside the process cannot listen on port \(port), which the addresses that were given out name: stop what uses the port (\(error))")
        }
    }
}

extension EmbeddedRouterConfiguration {
    var isLoopback: Bool { host == "127.0.0.1" || host == "localhost" || host == "::1" }
}
