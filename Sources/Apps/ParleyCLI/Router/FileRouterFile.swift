internal import Foundation
internal import ParleyRules
internal import SMPProtocol
internal import SMPServer
internal import SMPWire
internal import SystemSupport
internal import XFTPServer

/// `file-router.yaml` in the data folder of a file router: what it is set to. Every key may be left out but the version.
struct FileRouterFile: RouterSettings {
    static let kind = "xftp"
    static let creation = "Uploading files"
    static let name = "file-router.yaml"
    static let version = 1

    /// Names that others reach the machine by, most wanted first.
    var hosts: [String] = []
    var bind = "127.0.0.1"
    var port = 443
    var allowsNewFiles = true
    /// The file with what announcing files asks for, in the data folder unless it is a whole path.
    var passwordFile: String?
    var fsync = Durability.always
    /// Bytes of all files; nil: as much as the disk takes.
    var quota: Int64?
    var fileHours: Int? = 48
    var maximumFiles = 1_000_000
    var maximumRecipients = 4_000_000
    var maximumRequests = 2_048
    var maximumConnections = 5_000
    var connectionsPerAddress: Int? = 200
    var filesPerAddress: Int? = 10_000
    var maximumHandshakes = 1_000
    var handshakeSeconds = 30
    var transferSeconds = 300
    var idleHours: Int? = 6
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
        "file-router", "hosts", "bind", "port", "new-files", "password-file", "fsync", "quota", "file-hours", "files", "recipients", "requests",
        "connections", "connections-per-address", "files-per-address", "handshakes", "handshake-seconds", "transfer-seconds", "idle-hours", "certificate-days",
        "metrics-address", "metrics-port",
    ]

    init(_ file: MappingReader) {
        file.refuseKeys(otherThan: Self.keys)
        if let value = file.required("file-router", hint: "write \"file-router: \(Self.version)\" at the top"),
            let version = value.integer(in: 1...Int.max), version != Self.version
        {
            value.report(.badValue, "this program reads version \(Self.version) of the file, not \(version)")
        }
        for value in file.value("hosts")?.listOrOne() ?? [] {
            guard let host = value.nonEmptyString() else { continue }
            if (try? TransportHost(wireString: host)) == nil { value.report(.badValue, "\"\(host)\" is not the name or the address of a host") }
            hosts.append(host)
        }
        if hosts.count > 8 { file.value("hosts")?.report(.badValue, "an address has 8 hosts at most") }
        func set<Value>(_ path: WritableKeyPath<FileRouterFile, Value>, _ value: Value?) { if let value { self[keyPath: path] = value } }
        func number(_ key: String, _ range: ClosedRange<Int>) -> Int? { file.value(key)?.integer(in: range) }
        func limit(_ key: String, _ range: ClosedRange<Int>, none: String = "never") -> Int?? {
            file.value(key).flatMap { RouterFile.limit($0, range, none: none) }
        }
        set(\.bind, file.value("bind")?.nonEmptyString())
        set(\.port, number("port", 0...65_535))
        set(\.allowsNewFiles, file.value("new-files")?.bool())
        passwordFile = file.value("password-file")?.nonEmptyString()
        if let value = file.value("fsync"), let text = value.string() {
            if let policy = Durability(argument: text) { fsync = policy } else { value.report(.badValue, Durability.help(for: text)) }
        }
        if let value = file.value("quota"), let text = value.string(), text != "unlimited" {
            if let bytes = ByteCount(argument: text) { quota = bytes.bytes } else { value.report(.badValue, ByteCount.help(for: text)) }
        }
        set(\.fileHours, limit("file-hours", 1...876_000))
        set(\.maximumFiles, number("files", 1...100_000_000))
        set(\.maximumRecipients, number("recipients", 1...400_000_000))
        set(\.maximumRequests, number("requests", 1...1_000_000))
        set(\.maximumConnections, number("connections", 1...1_000_000))
        set(\.connectionsPerAddress, limit("connections-per-address", 1...1_000_000, none: "unlimited"))
        set(\.filesPerAddress, limit("files-per-address", 1...1_000_000, none: "unlimited"))
        set(\.maximumHandshakes, number("handshakes", 1...1_000_000))
        set(\.handshakeSeconds, number("handshake-seconds", 1...3_600))
        set(\.transferSeconds, number("transfer-seconds", 1...86_400))
        set(\.idleHours, limit("idle-hours", 1...8_760))
        set(\.certificateDays, limit("certificate-days", 2...999_999))
        set(\.metricsAddress, file.value("metrics-address")?.nonEmptyString())
        metricsPort = number("metrics-port", 0...65_535)
    }

    /// The settings of a router in this folder.
    ///
    /// - Throws: ``Outcome/BadInput`` if the password cannot be read.
    func configuration(in folder: String) throws -> FileRouterConfiguration {
        var configuration = FileRouterConfiguration(folder: folder)
        configuration.host = bind
        configuration.port = port
        configuration.advertisedHosts = hosts.compactMap { try? TransportHost(wireString: $0) }
        configuration.allowsNewFiles = allowsNewFiles
        configuration.basicAuth = try password(in: folder)
        configuration.durability = fsync
        configuration.quota = quota
        configuration.fileLifetime = fileHours.map { .seconds($0 * 3_600) }
        configuration.maximumFiles = maximumFiles
        configuration.maximumRecipientsInTotal = maximumRecipients
        configuration.maximumRequests = maximumRequests
        configuration.maximumConnections = maximumConnections
        configuration.maximumConnectionsPerAddress = connectionsPerAddress
        configuration.filesPerAddressAndHour = filesPerAddress
        configuration.maximumHandshakes = maximumHandshakes
        configuration.handshakeTimeout = .seconds(handshakeSeconds)
        configuration.transferTimeout = .seconds(transferSeconds)
        configuration.idleTimeout = idleHours.map { .seconds($0 * 3_600) }
        configuration.certificateDays = certificateDays
        configuration.hasControl = true
        configuration.metrics = metricsPort.map { .init(host: metricsAddress, port: $0) }
        return configuration
    }

    func address(hosts: [TransportHost], keyHash: KeyHash, password: BasicAuth?) -> RouterAddress? {
        let port = port == 443 ? nil : UInt16(exactly: port)
        return XFTPServerAddress(hosts: hosts, port: port, keyHash: keyHash).map {
            RouterAddress(text: $0.wireString, textWithPassword: XFTPServerWithAuth($0, basicAuth: password).wireString)
        }
    }
}

/// A number of bytes as people write it: `500mb`, `20gb`.
struct ByteCount {
    let bytes: Int64

    private static let units: [(name: String, factor: Int64)] = [("kb", 1 << 10), ("mb", 1 << 20), ("gb", 1 << 30), ("tb", 1 << 40)]

    init?(argument: String) {
        let text = argument.lowercased()
        guard let unit = Self.units.first(where: { text.hasSuffix($0.name) }), let number = Int64(text.dropLast(2)), number > 0 else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.factor)
        guard !overflow else { return nil }
        self.bytes = bytes
    }

    static func help(for text: String) -> String { "\"\(text)\" is not a size: write 500mb, 20gb or 2tb" }

    /// As ``init(argument:)`` takes it.
    static func text(_ bytes: Int64) -> String {
        let unit = units.last { bytes % $0.factor == 0 && bytes >= $0.factor } ?? units[0]
        return "\(bytes / unit.factor)\(unit.name)"
    }
}
