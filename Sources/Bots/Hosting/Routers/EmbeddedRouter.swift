internal import Foundation
internal import Logging
internal import RouterSupport
internal import SMPProtocol
internal import SMPServer
internal import SMPTransport
internal import SMPWire
internal import XFTPServer

/// The routers inside the process, for messages and for files.
///
/// A router that others can reach requires a password for creating queues and for use as a proxy. Only its own profiles know the password.
///
/// The port of a router is part of every published address, so it must not change after the first start: it is stored in
/// the router's folder.
enum EmbeddedRouter {
    /// - Returns: the router, and its address with the password for its own profiles.
    static func start(
        _ settings: EmbeddedRouterConfiguration, folder: String, logger: Logger
    ) async throws -> (router: SMPRouter, address: SMPServerWithAuth) {
        try makeFolder(folder)
        let port = try KeptPort(folder: folder)
        var configuration = RouterConfiguration(storage: .folder(folder))
        // A router with a public name must listen on more than the loopback interface.
        configuration.host = settings.isLoopback ? "127.0.0.1" : "0.0.0.0"
        if !settings.isLoopback {
            configuration.basicAuth = try password(in: folder)
            // All of its own profiles may connect from this machine's address in the network.
            configuration.maximumConnectionsPerAddress = configuration.maximumConnections / 2
            configuration.queuesPerAddressAndHour = nil
        }
        configuration.advertisedHosts = [try host(settings)]
        let router: SMPRouter = try await start(on: port, chosen: settings.port, option: "--router-port") { [configuration] port in
            var configuration = configuration
            configuration.port = Int(port)
            let router = try await SMPRouter.start(configuration, logger: logger)
            return (router, router.port, { await router.stop() })
        }
        if configuration.basicAuth != nil {
            logger.notice(
                "the router inside the process can be reached from other machines: creating queues there, and sending through it, needs its password",
                metadata: ["password": "\(folder)/\(RouterPassword.fileName)", "port": "\(router.port)"])
        }
        return (router, SMPServerWithAuth(router.address, basicAuth: configuration.basicAuth))
    }

    /// Starts a file router beside the message router.
    ///
    /// - Returns: the router, and its address with the password for its own profiles.
    static func startForFiles(
        _ settings: EmbeddedRouterConfiguration, folder: String, logger: Logger
    ) async throws -> (router: FileRouter, address: XFTPServerWithAuth) {
        try makeFolder(folder)
        let port = try KeptPort(folder: folder)
        var configuration = FileRouterConfiguration(folder: folder)
        configuration.host = settings.isLoopback ? "127.0.0.1" : "0.0.0.0"
        if !settings.isLoopback {
            configuration.basicAuth = try password(in: folder)
            configuration.filesPerAddressAndHour = nil
        }
        configuration.advertisedHosts = [try host(settings)]
        let router: FileRouter = try await start(on: port, chosen: settings.filePort, option: "--file-router-port") { [configuration] port in
            var configuration = configuration
            configuration.port = Int(port)
            let router = try await FileRouter.start(configuration, logger: logger)
            return (router, router.port, { await router.stop() })
        }
        if configuration.basicAuth != nil {
            logger.notice(
                "the file router inside the process can be reached from other machines: uploads need its password",
                metadata: ["password": "\(folder)/\(RouterPassword.fileName)", "port": "\(router.port)"])
        }
        return (router, XFTPServerWithAuth(router.address, basicAuth: configuration.basicAuth))
    }

    private static func makeFolder(_ folder: String) throws(HostError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw HostError(.router, "cannot create the folder \(folder): \(error.localizedDescription)")
        }
    }

    private static func host(_ settings: EmbeddedRouterConfiguration) throws(HostError) -> TransportHost {
        do throws(WireError) {
            return try TransportHost(wireString: settings.host)
        } catch {
            throw HostError(.router, "\"\(settings.host)\" is not the name or the address of a host")
        }
    }

    private static func password(in folder: String) throws(HostError) -> BasicAuth {
        do throws(RouterError) {
            return try RouterPassword.loadOrMake(in: folder)
        } catch {
            throw HostError(.router, error.message + (error.cause.map { ": \($0)" } ?? ""))
        }
    }

    /// Starts a router on the chosen port, or on its earlier port, or on any port that it can also use at later starts.
    ///
    /// The port is on disk before anybody gets an address with it: a new port is kept before the router listens on it.
    private static func start<Router>(
        on kept: KeptPort, chosen: UInt16?, option: String, _ start: (UInt16) async throws -> (router: Router, port: Int, stop: () async -> Void)
    ) async throws -> Router {
        if let port = chosen ?? kept.port {
            do {
                let started = try await start(port)
                // A chosen port is stored once the router has started on it.
                guard let actual = UInt16(exactly: started.port), actual != kept.port else { return started.router }
                do throws(HostError) {
                    try kept.keep(actual)
                } catch {
                    await started.stop()
                    throw error
                }
                return started.router
            } catch let error as RouterError where error.code == .addressInUse {
                throw HostError(
                    .portInUse,
                    port == kept.port
                        ? "something else listens on port \(port). Stop it: the router inside the process needs that port, because the addresses that were given out name it"
                        : "something else listens on port \(port): stop it, or name another with \(option)")
            }
        }
        try kept.requireNewRouter(option: option)
        for port in ListeningPorts.lasting.shuffled().prefix(largestNumberOfTries) {
            do {
                try kept.keep(UInt16(port))
                return try await start(UInt16(port)).router
            } catch let error as RouterError where error.code == .addressInUse {
                continue
            }
        }
        throw HostError(.portInUse, "no port from \(ListeningPorts.lasting.lowerBound) on is free: name one with \(option)")
    }

    private static let largestNumberOfTries = 100
}

extension EmbeddedRouterConfiguration {
    /// True if others cannot reach the router. Other loopback addresses, and other names for them, do not count as loopback.
    var isLoopback: Bool { host == "127.0.0.1" || host == "localhost" || host == "::1" }
}
