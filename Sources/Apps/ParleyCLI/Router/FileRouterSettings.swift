internal import ArgumentParser
internal import Logging
internal import SMPProtocol
internal import SMPWire
internal import XFTPServer

/// The settings of a file router in `file-router.yaml`.
struct FileRouterSettings: RouterSettings {
    typealias Report = FileRouterReport

    static let words = RouterWords(
        command: "xftp", kind: "file router", title: "file router", folder: "parley-file-router-data", contents: "keys, files",
        file: "file-router.yaml", versionKey: "file-router", creationKey: "new-files", creationsPerAddressKey: "files-per-address",
        create: "upload files", creating: "Uploading files", passwordUse: "uploading",
        promise: "A piece of a file is on the disk before the router accepts it.", compactsStopped: false, metricsPort: 9_154)
    static let defaults = RouterDefaults(port: 443, connections: 5_000, connectionsPerAddress: 200, handshakes: 1_000)
    static let keys = [
        "file-router", "hosts", "bind", "port", "new-files", "password-file", "fsync", "quota", "file-hours", "files", "recipients", "requests",
        "connections", "connections-per-address", "files-per-address", "handshakes", "handshake-seconds", "transfer-seconds", "idle-hours", "certificate-days",
        "metrics-address", "metrics-port",
    ]

    struct Options: ParsableArguments {
        @Option(help: "Bytes of all files at most: 500mb, 20gb, 2tb. [default: as much as the disk takes]")
        var quota: String?
    }

    /// Bytes of all files; nil: as much as the disk takes.
    var quota: Int64?
    var fileHours: Int? = 48
    var maximumFiles = 1_000_000
    var maximumRecipients = 4_000_000
    var maximumRequests = 2_048
    var transferSeconds = 300

    mutating func read(_ file: RouterFileReader) {
        file.word("quota", &quota, { $0 == "unlimited" ? .some(nil) : ByteCount(argument: $0).map { Optional($0.bytes) } }, ByteCount.help)
        file.limit("file-hours", 1...876_000, &fileHours)
        file.number("files", 1...100_000_000, &maximumFiles)
        file.number("recipients", 1...400_000_000, &maximumRecipients)
        file.number("requests", 1...1_000_000, &maximumRequests)
        file.number("transfer-seconds", 1...86_400, &transferSeconds)
    }

    mutating func override(by options: Options) throws {
        guard let text = options.quota else { return }
        guard let count = ByteCount(argument: text) else { throw Outcome.BadInput(description: "--quota: " + ByteCount.help(for: text)) }
        quota = count.bytes
    }

    static func address(hosts: [TransportHost], port: Int, keyHash: KeyHash, password: BasicAuth?) -> RouterAddress? {
        XFTPServerAddress(hosts: hosts, port: port == defaults.port ? nil : UInt16(exactly: port), keyHash: keyHash).map {
            RouterAddress(text: $0.wireString, textWithPassword: XFTPServerWithAuth($0, basicAuth: password).wireString)
        }
    }

    /// The settings of a router in this folder.
    ///
    /// - Throws: ``Outcome/BadInput`` if the password cannot be read.
    static func configuration(_ file: RouterFile<Self>, in folder: String) throws -> FileRouterConfiguration {
        var configuration = FileRouterConfiguration(folder: folder)
        try file.configure(&configuration, in: folder)
        configuration.allowsNewFiles = file.allowsCreation
        configuration.quota = file.quota
        configuration.fileLifetime = file.fileHours.map { .seconds($0 * 3_600) }
        configuration.maximumFiles = file.maximumFiles
        configuration.maximumRecipientsInTotal = file.maximumRecipients
        configuration.maximumRequests = file.maximumRequests
        configuration.filesPerAddressAndHour = file.creationsPerAddress
        configuration.transferTimeout = .seconds(file.transferSeconds)
        return configuration
    }

    static func starter(_ file: RouterFile<Self>, in folder: String, logger: Logger) throws -> RouterService.Starter {
        let configuration = try configuration(file, in: folder)
        return {
            let router = try await FileRouter.start(configuration, logger: logger)
            return RouterService.Router(
                address: router.address.wireString, waitUntilStopped: { await router.waitUntilStopped() },
                renewCertificate: { try router.renewCertificate() }, stop: { await router.stop() })
        }
    }

    static func compactStopped(_ file: RouterFile<Self>, in folder: String, logger: Logger) -> (before: Int, after: Int)? { nil }
}
