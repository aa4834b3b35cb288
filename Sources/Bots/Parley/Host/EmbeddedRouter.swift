internal import Foundation
internal import Logging
internal import SMPProtocol
internal import SMPServer
internal import SMPTransport
internal import SMPWire

/// Starts a router inside the process.
///
/// One that others can reach asks who creates queues, or uses it as a proxy, for a password that only its own profiles know.
///
/// Its port is part of every address that was given out, so it must stay what it was at the first start: it is kept in the
/// router's folder.
enum EmbeddedRouter {
    /// - Returns: the router, and its address as its own profiles need it.
    static func start(
        _ settings: EmbeddedRouterConfiguration, folder: String, logger: Logger
    ) async throws -> (router: SMPRouter, address: SMPServerWithAuth) {
        let portFile = folder + "/port"
        let kept = (try? String(contentsOfFile: portFile, encoding: .utf8)).flatMap { UInt16($0.filter(\.isNumber)) }
        var configuration = RouterConfiguration(storage: .folder(folder))
        // A router that others are told the name of must be heard on more than the loopback interface.
        configuration.host = settings.isLoopback ? "127.0.0.1" : "0.0.0.0"
        if !settings.isLoopback {
            configuration.basicAuth = try password(in: folder)
            // Its own profiles may come from this machine's address in the network, all of them.
            configuration.maximumConnectionsPerAddress = configuration.maximumConnections / 2
            configuration.queuesPerAddressAndHour = nil
        }
        do throws(WireError) {
            configuration.advertisedHosts = [try TransportHost(wireString: settings.host)]
        } catch {
            throw HostError(.router, "\"\(settings.host)\" is not the name or the address of a host")
        }
        let router =
            if let port = settings.port ?? kept {
                try await start(&configuration, port: port, isKept: port == kept, logger)
            } else {
                try await startOnAnyPort(&configuration, logger)
            }
        if UInt16(exactly: router.port) != kept { try await keep(router, in: portFile) }
        if configuration.basicAuth != nil {
            logger.notice(
                "the router inside the process can be reached from other machines: who creates queues there, or sends through it, needs its password",
                metadata: ["password": "\(folder)/\(RouterPassword.fileName)", "port": "\(router.port)"])
        }
        return (router, SMPServerWithAuth(router.address, basicAuth: configuration.basicAuth))
    }

    private static func password(in folder: String) throws(HostError) -> BasicAuth {
        do throws(RouterError) {
            return try RouterPassword.loadOrMake(in: folder)
        } catch {
            throw HostError(.router, error.message + (error.cause.map { ": \($0)" } ?? ""))
        }
    }

    private static func start(
        _ configuration: inout RouterConfiguration, port: UInt16, isKept: Bool, _ logger: Logger
    ) async throws -> SMPRouter {
        configuration.port = Int(port)
        do throws(RouterError) {
            return try await SMPRouter.start(configuration, logger: logger)
        } catch {
            guard error.code == .addressInUse else { throw error }
            throw HostError(
                .portInUse,
                isKept
                    ? "something else listens on port \(port). Stop it: the router inside the process needs that port, because the addresses that were given out name it"
                    : "something else listens on port \(port): stop it, or name another with --router-port")
        }
    }

    /// Starts it on a port that it can have at every later start, too.
    private static func startOnAnyPort(_ configuration: inout RouterConfiguration, _ logger: Logger) async throws -> SMPRouter {
        for port in ListeningPorts.lasting.shuffled().prefix(largestNumberOfTries) {
            configuration.port = port
            do throws(RouterError) {
                return try await SMPRouter.start(configuration, logger: logger)
            } catch {
                guard error.code == .addressInUse else { throw error }
            }
        }
        throw HostError(.portInUse, "no port from \(ListeningPorts.lasting.lowerBound) on is free: name one with --router-port")
    }

    private static let largestNumberOfTries = 100

    private static func keep(_ router: SMPRouter, in file: String) async throws {
        do {
            try "\(router.port)\n".write(toFile: file, atomically: true, encoding: .utf8)
        } catch {
            await router.stop()
            throw HostError(.router, "the port of the router cannot be kept in \(file): \(error.localizedDescription)")
        }
    }
}

extension EmbeddedRouterConfiguration {
    /// True if others cannot reach it. Whatever else there is of loopback addresses and names for them is not taken for one.
    var isLoopback: Bool { host == "127.0.0.1" || host == "localhost" || host == "::1" }
}
