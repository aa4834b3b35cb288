internal import Foundation
internal import ParleyRules
internal import RouterSupport
internal import SMPProtocol
internal import SMPTransport
internal import SMPWire
internal import SystemSupport

/// The settings file in the data folder of a router. Every key may be left out but the version.
@dynamicMemberLookup
struct RouterFile<Settings: RouterSettings> {
    static var name: String { Settings.words.file }
    static var version: Int { 1 }

    /// Names that others reach the machine by, most wanted first.
    var hosts: [String] = []
    var bind = "127.0.0.1"
    var port = Settings.defaults.port
    /// True if clients may create queues or upload files.
    var allowsCreation = true
    /// The file with the password for that, in the data folder unless it is a whole path.
    var passwordFile: String?
    var fsync = Durability.always
    var maximumConnections = Settings.defaults.connections
    var connectionsPerAddress: Int? = Settings.defaults.connectionsPerAddress
    /// Queues or pieces of files that one address may create in an hour.
    var creationsPerAddress: Int? = 10_000
    var maximumHandshakes = Settings.defaults.handshakes
    var handshakeSeconds = 30
    var idleHours: Int? = 6
    var certificateDays: Int? = 365
    var metricsAddress = "127.0.0.1"
    var metricsPort: Int?
    /// The settings that only this kind of router has.
    var settings = Settings()

    subscript<Value>(dynamicMember path: WritableKeyPath<Settings, Value>) -> Value {
        get { settings[keyPath: path] }
        set { settings[keyPath: path] = newValue }
    }

    init() {}

    /// Reads the file of a data folder; missing settings, and a missing file, mean the defaults.
    init(in folder: String) throws(BotsFileError) {
        let path = folder + "/" + Self.name
        guard !WholeFile.isMissing(path) else { return }
        self = try StrictFile.read(contentsOf: path, Self.init)
    }

    init(_ mapping: MappingReader) {
        let words = Settings.words, file = RouterFileReader(mapping: mapping)
        mapping.refuseKeys(otherThan: Settings.keys)
        if let value = mapping.required(words.versionKey, hint: "write \"\(words.versionKey): \(Self.version)\" at the top"),
            let version = value.integer(in: 1...Int.max), version != Self.version
        {
            value.report(.badValue, "this program reads version \(Self.version) of the file, not \(version)")
        }
        for value in mapping.value("hosts")?.listOrOne() ?? [] {
            guard let host = value.nonEmptyString() else { continue }
            if (try? TransportHost(wireString: host)) == nil { value.report(.badValue, "\"\(host)\" is not the name or the address of a host") }
            hosts.append(host)
        }
        if hosts.count > 8 { mapping.value("hosts")?.report(.badValue, "an address has 8 hosts at most") }
        file.text("bind", &bind)
        file.number("port", 0...65_535, &port)
        file.flag(words.creationKey, &allowsCreation)
        passwordFile = mapping.value("password-file")?.nonEmptyString()
        file.word("fsync", &fsync, Durability.init(argument:), Durability.help)
        file.number("connections", 1...1_000_000, &maximumConnections)
        file.limit("connections-per-address", 1...1_000_000, none: "unlimited", &connectionsPerAddress)
        file.limit(words.creationsPerAddressKey, 1...1_000_000, none: "unlimited", &creationsPerAddress)
        file.number("handshakes", 1...1_000_000, &maximumHandshakes)
        file.number("handshake-seconds", 1...3_600, &handshakeSeconds)
        file.limit("idle-hours", 1...8_760, &idleHours)
        file.limit("certificate-days", 2...999_999, &certificateDays)
        file.text("metrics-address", &metricsAddress)
        metricsPort = mapping.value("metrics-port")?.integer(in: 0...65_535)
        settings.read(file)
    }

    /// Sets what routers of all kinds have.
    ///
    /// - Throws: ``Outcome/BadInput`` if the password cannot be read.
    func configure(_ configuration: inout some CommonRouterSettings, in folder: String) throws {
        configuration.host = bind
        configuration.port = port
        configuration.advertisedHosts = hosts.compactMap { try? TransportHost(wireString: $0) }
        configuration.basicAuth = try password(in: folder)
        configuration.durability = fsync
        configuration.maximumConnections = maximumConnections
        configuration.maximumConnectionsPerAddress = connectionsPerAddress
        configuration.maximumHandshakes = maximumHandshakes
        configuration.handshakeTimeout = .seconds(handshakeSeconds)
        configuration.idleTimeout = idleHours.map { .seconds($0 * 3_600) }
        configuration.certificateDays = certificateDays
        configuration.hasControl = true
        configuration.metrics = metricsPort.map { .init(host: metricsAddress, port: $0) }
    }

    /// The password for creating something on the router; nil if there is none.
    func password(in folder: String) throws -> BasicAuth? { try RouterSetup.password(inFile: passwordFile, folder: folder) }

    /// The address of the router of a folder.
    func address(_ credential: ServerCredential, in folder: String) throws -> RouterAddress {
        let hosts = (hosts.isEmpty ? ["127.0.0.1"] : hosts).compactMap { try? TransportHost(wireString: $0) }
        let keyHash = KeyHash(credential.fingerprint)
        guard let address = Settings.address(hosts: hosts, port: port, keyHash: keyHash, password: try password(in: folder)) else {
            throw Outcome.BadInput(description: "the router's address has too many hosts")
        }
        return address
    }

    /// Replaces settings by options of the command line.
    mutating func override(host: String?, bind: String?, port: UInt16?, fsync: String?, metricsPort: UInt16?) throws {
        if let port { self.port = Int(port) }
        if let bind { self.bind = bind }
        if let host {
            guard (try? TransportHost(wireString: host)) != nil else {
                throw Outcome.BadInput(description: "--host: \"\(host)\" is not the name or the address of a host")
            }
            hosts = [host]
        } else if hosts.isEmpty {
            hosts = ["127.0.0.1"]
        }
        if let fsync { self.fsync = try Durability(option: fsync) }
        if let metricsPort { self.metricsPort = Int(metricsPort) }
    }

    /// The text of a file with these settings, in which everything that can be set is explained.
    var text: String {
        let words = Settings.words
        return """
            # The settings of the \(words.kind) in this folder. `parley server \(words.command) start` reads them; options of the command go before them.
            # A line with a # in front says what holds without it.
            \(words.versionKey): \(Self.version)

            # The names or addresses under which others reach this machine, most wanted first. They are a part of the router's address.
            hosts: [\(hosts.map(YAMLText.scalar).joined(separator: ", "))]
            # The network interface and the port to listen on; 0.0.0.0 is every interface.
            bind: \(YAMLText.scalar(bind))
            port: \(port)

            \(Settings.text(of: self))

            # The certificate is issued for so many days (or never expires) and renewed when a third of them is left, if ca.key is here.
            # certificate-days: 365

            # Metrics for Prometheus at http://ADDRESS:PORT/metrics; without a port there are none.
            # metrics-address: 127.0.0.1
            \(metricsPort.map { "metrics-port: \($0)" } ?? "# metrics-port: \(words.metricsPort)")

            """
    }

    /// The line with the file of the password.
    var passwordLine: String { passwordFile.map { "password-file: \(YAMLText.scalar($0))" } ?? "# password-file: password" }
}

/// Reads the keys of a router's settings file into settings, which keep their values where a key is missing or wrong.
struct RouterFileReader {
    let mapping: MappingReader

    func text(_ key: String, _ setting: inout String) { set(&setting, mapping.value(key)?.nonEmptyString()) }
    func flag(_ key: String, _ setting: inout Bool) { set(&setting, mapping.value(key)?.bool()) }
    func number(_ key: String, _ range: ClosedRange<Int>, _ setting: inout Int) { set(&setting, mapping.value(key)?.integer(in: range)) }

    /// A number, or a word for no limit.
    func limit(_ key: String, _ range: ClosedRange<Int>, none: String = "never", _ setting: inout Int?) {
        guard let value = mapping.value(key) else { return }
        set(&setting, value.text == none ? .some(nil) : value.integer(in: range).map(Optional.some))
    }

    /// A value that is read from a word.
    func word<Value>(_ key: String, _ setting: inout Value, _ parse: (String) -> Value?, _ help: (String) -> String) {
        guard let value = mapping.value(key), let text = value.string() else { return }
        if let parsed = parse(text) { setting = parsed } else { value.report(.badValue, help(text)) }
    }

    private func set<Value>(_ setting: inout Value, _ value: Value?) { if let value { setting = value } }
}
