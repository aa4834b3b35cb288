internal import Foundation
internal import ParleyRules
internal import SMPProtocol
internal import SMPServer
internal import SMPWire
internal import SystemSupport

/// `router.yaml` in the data folder of a router: what it is set to. Every key may be left out but the version.
struct RouterFile: RouterSettings {
    static let kind = "smp"
    static let creation = "Creating queues"
    static let name = "router.yaml"
    static let version = 1

    /// Names that others reach the machine by, most wanted first.
    var hosts: [String] = []
    var bind = "127.0.0.1"
    var port = 5223
    var allowsNewQueues = true
    /// The file with what creating queues asks for, in the data folder unless it is a whole path.
    var passwordFile: String?
    var allowsProxying = true
    var fsync = Durability.always
    var messageQuota = 128
    var messageDays: Int? = 21
    var queueDays: Int?
    var maximumQueues = 1_000_000
    var maximumConnections = 20_000
    var connectionsPerAddress: Int? = 2_000
    var queuesPerAddress: Int? = 10_000
    var maximumHandshakes = 2_000
    var handshakeSeconds = 30
    var idleHours: Int? = 6
    var maximumRelays = 1_000
    var allowsPrivateRelays: Bool?
    var certificateDays: Int? = 365
    var metricsAddress = "127.0.0.1"
    var metricsPort: Int?

    init() {}

    /// Reads the file of a data folder; what is not said, and all if there is none, is as it is by default.
    init(in folder: String) throws(BotsFileError) {
        let path = folder + "/" + Self.name
        guard !WholeFile.isMissing(path) else { return }
        self = try StrictFile.read(contentsOf: path, Self.init)
    }

    static let keys = [
        "router", "hosts", "bind", "port", "new-queues", "password-file", "proxy", "fsync", "message-quota", "message-days", "queue-days",
        "queues", "connections", "connections-per-address", "queues-per-address", "handshakes", "handshake-seconds", "relays",
        "allow-private-relays", "idle-hours", "certificate-days", "metrics-address", "metrics-port",
    ]

    init(_ file: MappingReader) {
        file.refuseKeys(otherThan: Self.keys)
        if let value = file.required("router", hint: "write \"router: \(Self.version)\" at the top"), let version = value.integer(in: 1...Int.max),
            version != Self.version
        {
            value.report(.badValue, "this program reads version \(Self.version) of the file, not \(version)")
        }
        for value in file.value("hosts")?.listOrOne() ?? [] {
            guard let host = value.nonEmptyString() else { continue }
            if (try? TransportHost(wireString: host)) == nil { value.report(.badValue, "\"\(host)\" is not the name or the address of a host") }
            hosts.append(host)
        }
        if hosts.count > 8 { file.value("hosts")?.report(.badValue, "an address has 8 hosts at most") }
        func set<Value>(_ path: WritableKeyPath<RouterFile, Value>, _ value: Value?) { if let value { self[keyPath: path] = value } }
        func number(_ key: String, _ range: ClosedRange<Int>) -> Int? { file.value(key)?.integer(in: range) }
        set(\.bind, file.value("bind")?.nonEmptyString())
        set(\.port, number("port", 0...65_535))
        set(\.allowsNewQueues, file.value("new-queues")?.bool())
        passwordFile = file.value("password-file")?.nonEmptyString()
        set(\.allowsProxying, file.value("proxy")?.bool())
        if let value = file.value("fsync"), let text = value.string() {
            if let policy = Durability(argument: text) { fsync = policy } else { value.report(.badValue, Durability.help(for: text)) }
        }
        set(\.messageQuota, number("message-quota", 1...100_000))
        set(\.messageDays, file.value("message-days").flatMap { Self.limit($0, 1...36_500) })
        set(\.queueDays, file.value("queue-days").flatMap { Self.limit($0, 1...36_500) })
        set(\.maximumQueues, number("queues", 1...100_000_000))
        set(\.maximumConnections, number("connections", 1...1_000_000))
        set(\.connectionsPerAddress, file.value("connections-per-address").flatMap { Self.limit($0, 1...1_000_000, none: "unlimited") })
        set(\.queuesPerAddress, file.value("queues-per-address").flatMap { Self.limit($0, 1...1_000_000, none: "unlimited") })
        set(\.maximumHandshakes, number("handshakes", 1...1_000_000))
        set(\.handshakeSeconds, number("handshake-seconds", 1...3_600))
        set(\.maximumRelays, number("relays", 1...100_000))
        allowsPrivateRelays = file.value("allow-private-relays")?.bool()
        set(\.idleHours, file.value("idle-hours").flatMap { Self.limit($0, 1...8_760) })
        set(\.certificateDays, file.value("certificate-days").flatMap { Self.limit($0, 2...999_999) })
        set(\.metricsAddress, file.value("metrics-address")?.nonEmptyString())
        metricsPort = number("metrics-port", 0...65_535)
    }

    /// A number, or a word for no limit.
    static func limit(_ value: NodeReader, _ range: ClosedRange<Int>, none: String = "never") -> Int?? {
        if value.text == none { return .some(nil) }
        return value.integer(in: range).map(Optional.some)
    }

    /// The settings of a router in this folder.
    ///
    /// - Throws: ``Outcome/BadInput`` if the password cannot be read.
    func configuration(in folder: String) throws -> RouterConfiguration {
        var configuration = RouterConfiguration(storage: .folder(folder))
        configuration.host = bind
        configuration.port = port
        configuration.advertisedHosts = hosts.compactMap { try? TransportHost(wireString: $0) }
        configuration.allowsNewQueues = allowsNewQueues
        configuration.basicAuth = try password(in: folder)
        configuration.allowsProxying = allowsProxying
        configuration.durability = fsync
        configuration.messageQuota = messageQuota
        configuration.messageLifetime = messageDays.map { .seconds($0 * 86_400) }
        configuration.queueLifetime = queueDays.map { .seconds($0 * 86_400) }
        configuration.maximumQueues = maximumQueues
        configuration.maximumConnections = maximumConnections
        configuration.maximumConnectionsPerAddress = connectionsPerAddress
        configuration.queuesPerAddressAndHour = queuesPerAddress
        configuration.maximumHandshakes = maximumHandshakes
        configuration.handshakeTimeout = .seconds(handshakeSeconds)
        configuration.maximumRelays = maximumRelays
        configuration.allowsPrivateRelays = allowsPrivateRelays
        configuration.idleTimeout = idleHours.map { .seconds($0 * 3_600) }
        configuration.certificateDays = certificateDays
        configuration.hasControl = true
        configuration.metrics = metricsPort.map { .init(host: metricsAddress, port: $0) }
        return configuration
    }

    func address(hosts: [TransportHost], keyHash: KeyHash, password: BasicAuth?) -> RouterAddress? {
        let port = port == 5223 ? nil : UInt16(exactly: port)
        return SMPServerAddress(hosts: hosts, port: port, keyHash: keyHash).map {
            RouterAddress(text: $0.wireString, textWithPassword: SMPServerWithAuth($0, basicAuth: password).wireString)
        }
    }
}

extension Durability {
    /// `always`, or the time between two flushes: `1s`, `200ms`.
    init?(argument: String) {
        if argument == "always" {
            self = .always
            return
        }
        let number = argument.prefix { $0.isNumber }
        guard let value = Int(number) else { return nil }
        let milliseconds: Int
        switch argument.dropFirst(number.count) {
        case "ms": milliseconds = value
        case "s": milliseconds = value.multipliedReportingOverflow(by: 1_000).partialValue
        default: return nil
        }
        guard Self.milliseconds.contains(milliseconds), value <= 60_000 else { return nil }
        self = .interval(.milliseconds(milliseconds))
    }

    static func help(for text: String) -> String { "\"\(text)\" is not a policy: always, or a time from 10ms to 60s such as 1s or 200ms" }
}

extension Durability {
    /// As ``init(argument:)`` takes it.
    var argument: String {
        switch self {
        case .always: return "always"
        case .interval(let time):
            let milliseconds = Int(time.components.seconds) * 1_000 + Int(time.components.attoseconds / 1_000_000_000_000_000)
            return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
        }
    }
}
