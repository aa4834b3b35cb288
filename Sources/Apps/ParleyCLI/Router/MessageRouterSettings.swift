internal import ArgumentParser
internal import Logging
internal import ParleyRules
internal import RouterSupport
internal import SMPProtocol
internal import SMPServer
internal import SMPWire

/// The settings of a message router in `router.yaml`.
struct MessageRouterSettings: RouterSettings {
    typealias Report = MessageRouterReport

    static let words = RouterWords(
        command: "smp", kind: "message router", title: "router", folder: "parley-router-data", contents: "keys, queues, messages",
        file: "router.yaml", versionKey: "router", creationKey: "new-queues", creationsPerAddressKey: "queues-per-address", create: "create queues",
        creating: "Creating queues", passwordUse: "new queues",
        promise: "What it has accepted is on disk before it says so, unless --fsync says otherwise.", compactsStopped: true, metricsPort: 9_153)
    static let defaults = RouterDefaults(port: 5_223, connections: 20_000, connectionsPerAddress: 2_000, handshakes: 2_000)
    static let keys = [
        "router", "hosts", "bind", "port", "new-queues", "password-file", "proxy", "fsync", "message-quota", "message-days", "queue-days",
        "queues", "connections", "connections-per-address", "queues-per-address", "handshakes", "handshake-seconds", "relays",
        "allow-private-relays", "name-resolver", "idle-hours", "certificate-days", "metrics-address", "metrics-port",
    ]

    struct Options: ParsableArguments {}

    var allowsProxying = true
    var messageQuota = 128
    var messageDays: Int? = 21
    var queueDays: Int?
    var maximumQueues = 1_000_000
    var maximumRelays = 1_000
    var allowsPrivateRelays: Bool?
    /// Resolves names; nil: the router resolves none.
    var nameResolver: HTTPNameResolver?

    mutating func read(_ file: RouterFileReader) {
        file.flag("proxy", &allowsProxying)
        file.number("message-quota", 1...100_000, &messageQuota)
        file.limit("message-days", 1...36_500, &messageDays)
        file.limit("queue-days", 1...36_500, &queueDays)
        file.number("queues", 1...100_000_000, &maximumQueues)
        file.number("relays", 1...100_000, &maximumRelays)
        allowsPrivateRelays = file.mapping.value("allow-private-relays")?.bool()
        if let value = file.mapping.value("name-resolver"), let address = value.nonEmptyString() {
            do throws(RouterError) {
                nameResolver = try HTTPNameResolver(address)
            } catch {
                value.report(.badValue, error.message)
            }
        }
    }

    mutating func override(by options: Options) {}

    static func address(hosts: [TransportHost], port: Int, keyHash: KeyHash, password: BasicAuth?) -> RouterAddress? {
        SMPServerAddress(hosts: hosts, port: port == defaults.port ? nil : UInt16(exactly: port), keyHash: keyHash).map {
            RouterAddress(text: $0.wireString, textWithPassword: SMPServerWithAuth($0, basicAuth: password).wireString)
        }
    }

    /// The settings of a router in this folder.
    ///
    /// - Throws: ``Outcome/BadInput`` if the password cannot be read.
    static func configuration(_ file: RouterFile<Self>, in folder: String) throws -> RouterConfiguration {
        var configuration = RouterConfiguration(storage: .folder(folder))
        try file.configure(&configuration, in: folder)
        configuration.allowsNewQueues = file.allowsCreation
        configuration.allowsProxying = file.allowsProxying
        configuration.messageQuota = file.messageQuota
        configuration.messageLifetime = file.messageDays.map { .seconds($0 * 86_400) }
        configuration.queueLifetime = file.queueDays.map { .seconds($0 * 86_400) }
        configuration.maximumQueues = file.maximumQueues
        configuration.queuesPerAddressAndHour = file.creationsPerAddress
        configuration.maximumRelays = file.maximumRelays
        configuration.allowsPrivateRelays = file.allowsPrivateRelays
        configuration.nameResolver = file.nameResolver
        return configuration
    }

    static func starter(_ file: RouterFile<Self>, in folder: String, logger: Logger) throws -> RouterService.Starter {
        let configuration = try configuration(file, in: folder)
        return {
            let router = try await SMPRouter.start(configuration, logger: logger)
            return RouterService.Router(
                address: router.address.wireString, waitUntilStopped: { await router.waitUntilStopped() },
                renewCertificate: { try router.renewCertificate() }, stop: { await router.stop() })
        }
    }

    static func compactStopped(_ file: RouterFile<Self>, in folder: String, logger: Logger) async throws -> (before: Int, after: Int)? {
        try await SMPRouter.compact(try configuration(file, in: folder), logger: logger)
    }
}
