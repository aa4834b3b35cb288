internal import Foundation
internal import Logging
internal import SMPServer

/// Starts a router inside the process.
///
/// Its port is part of every address that was given out, so it must stay what it was at the first start: it is kept in the
/// router's folder.
enum EmbeddedRouter {
    static func start(_ configuration: EmbeddedRouterConfiguration, folder: String, logger: Logger) async throws -> SMPRouter {
        let portFile = folder + "/port"
        let kept = (try? String(contentsOfFile: portFile, encoding: .utf8)).flatMap { UInt16($0.filter(\.isNumber)) }
        let port = configuration.port ?? kept ?? 0
        do {
            let router = try await SMPRouter.start(
                SMPRouterConfiguration(folder: folder, host: configuration.host, port: port, logger: logger))
            try "\(router.port)\n".write(toFile: portFile, atomically: true, encoding: .utf8)
            return router
        } catch let error where port != 0 {
            throw HostError(
                .router, "the router inside the process cannot listen on port \(port), which the bots' addresses name: \(error). Stop what uses the port.")
        }
    }
}
