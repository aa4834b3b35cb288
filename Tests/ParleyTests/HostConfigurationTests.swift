import EncryptedSQLite
import Foundation
import TestSupport
import Testing

@testable import Hosting
@testable import Parley

/// Settings that a person gives: what each takes, and what is said of what it does not.
@Suite struct HostConfigurationTests {
    @Test(arguments: [
        (HostNetwork.Key.tcpTimeout, ["1", "3600"], ["0", "3601", "-1", "", "1.5", "10s", "9223372036854775808"], "a number of seconds from 1 to 3600"),
        (.retryPause, ["10", "60000"], ["9", "60001", "", "1e3"], "a number of milliseconds from 10 to 60000"),
        (.requiredHostMode, ["on", "off"], ["yes", "ON", ""], "one of on, off"), (.service, ["on", "off"], ["true"], "one of on, off"),
        (.smpProxyFallback, ["yes", "protected", "no"], ["maybe"], "one of yes, protected, no"),
        (.operators, ["preset", "none"], ["all"], "one of preset, none"),
        (.acceptConditions, ["yes", "no"], ["on"], "one of yes, no"),
        (
            .socksProxy, ["off", "127.0.0.1:9050", "[::1]:9050", "proxy.example:1"], ["", "proxy", "proxy:", "proxy:0", "proxy:65536"],
            "host:port of a SOCKS5 proxy"
        ),
    ])
    func aNetworkSettingTakesItsValuesAndNamesThem(_ key: HostNetwork.Key, _ good: [String], _ bad: [String], _ expected: String) throws {
        for text in good {
            var network = HostNetwork()
            try network.set(key, to: text)
        }
        for text in bad {
            var network = HostNetwork()
            let fault = #expect(throws: HostNetwork.Fault.self) { try network.set(key, to: text) }
            #expect(fault?.description == "\"\(text)\" is not \(expected)")
            // Nothing of a value that is refused is kept.
            #expect(network == HostNetwork())
        }
    }

    @Test func everySettingRefusesAWordOfAnother() {
        for key in HostNetwork.Key.allCases {
            var network = HostNetwork()
            let fault = #expect(throws: HostNetwork.Fault.self) { try network.set(key, to: "no-such-word") }
            #expect(fault?.description.hasPrefix("\"no-such-word\" is not ") == true, "\(key)")
        }
    }

    private static let fingerprint = String(repeating: "A", count: 43) + "="

    @Test(arguments: [
        ("smp://\(fingerprint)@", "is not a router's address"), ("smp://\(fingerprint)", "is not a router's address, from character"),
        ("http://example.org", "is not a router's address, from character 1 on"), ("", "from character 1 on"), ("smp://AAAA@router.example", "fingerprint of"),
        ("xftp://\(fingerprint)@files.example", "One looks like smp://fingerprint@host:port"),
        ("smp://\(fingerprint)@router.example:99999", "is not a router's address"),
        (" smp://\(fingerprint)@router.example", "from character 1 on"),
    ])
    func aRoutersAddressThatCannotBeReadIsToldWithTheCharacter(_ address: String, _ part: String) async throws {
        try await refuses(part) { $0.servers = [address] }
        try await refuses(part.replacing("smp://", with: "xftp://").replacing("a router's", with: "a file router's")) { configuration in
            configuration.fileServers = [address.hasPrefix("xftp") ? address.replacing("xftp", with: "smp") : address.replacing("smp://", with: "xftp://")]
        }
    }

    /// Checks that a configuration is refused with a code and a way out, and that nothing holds the folder afterwards.
    private func refuses(
        _ part: String, _ code: HostError.Code = .serverAddress, _ change: (inout HostConfiguration) -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        var configuration = HostConfiguration(dataFolder: folder.path + "/data", logger: HostSessionTests.logger)
        configuration.databaseKey = nil
        change(&configuration)
        let asked = configuration
        let error = await #expect(throws: HostError.self) { try await CoreHost.open(asked) }
        #expect(error?.code == code && error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error.map { ProcessFault($0).exitCode } == 2, "another start fails too")
        try configuration.data.requireUnused()
    }

    @Test func routersBesideTheOperatorsAndKeysThatAreNotThereAreRefused() async throws {
        try await refuses("leave out --server and PARLEY_SERVER", .serversAndOperators) { configuration in
            configuration.servers = ["smp://\(Self.fingerprint)@router.example"]
            configuration.network = .presetOperators(acceptingConditions: true)
        }
        try await refuses("cannot read the key of the databases from /nowhere/key", .databaseKey) { $0.databaseKey = .file("/nowhere/key") }
        try await refuses("the environment variable NO_SUCH_VARIABLE is not set", .databaseKey) { $0.databaseKey = .environment("NO_SUCH_VARIABLE") }
    }

    @Test(arguments: [
        ([:], "none"), (["PARLEY_KEY": ""], "none"), (["PARLEY_KEY": "x"], "environment PARLEY_KEY"),
        (["PARLEY_KEY": "x", "PARLEY_KEY_FILE": "/a"], "file /a"),
        (["PARLEY_KEY": "x", "PARLEY_KEY_FILE": ""], "environment PARLEY_KEY"), (["CREDENTIALS_DIRECTORY": "/nowhere"], "none"),
        (["CREDENTIALS_DIRECTORY": ""], "none"),
    ])
    func aKeyComesFromTheFirstPlaceThatHasOne(_ environment: [String: String], _ expected: String) {
        let source: String =
            switch DatabaseKeySource.standard(environment) {
            case nil: "none"
            case .key: "key"
            case .file(let path): "file \(path)"
            case .environment(let name): "environment \(name)"
            }
        #expect(source == expected)
    }

    @Test(arguments: ["secret", "secret\n", "secret\r\n"]) func theLineBreakBehindAKeyInAFileIsNoPartOfIt(_ content: String) async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/parley-key"
        try content.write(toFile: path, atomically: true, encoding: .utf8)
        for key in [try DatabaseKey("secret"), try DatabaseKeySource.file(path).load()] {
            try await BotStateStore(path: folder.path + "/bots.db", key: key, logger: HostSessionTests.logger).close()
        }
        // The folder of a service's credentials counts only if the key is in it.
        guard case .file(path)? = DatabaseKeySource.standard(["CREDENTIALS_DIRECTORY": folder.path]) else { throw Missing() }
    }

    private struct Missing: Error {}

    @Test(arguments: [
        ("bots/db", "bots", "bots/db"), ("db", ".", "./db"), ("/db", "/", "/db"), ("/a/b/db", "/a/b", "/a/b/db"), ("parley", ".", "./parley"),
    ])
    func aPrefixOfDatabasesNamesAFolderAndAName(_ prefix: String, _ folder: String, _ core: String) {
        let data = DataFolder(databasePrefix: prefix)
        #expect(data?.path == folder && data?.corePrefix == core)
    }

    @Test(arguments: ["", "/", "a/", ".", "..", "a/..", "a/."]) func aPrefixWithoutANameIsNone(_ prefix: String) {
        #expect(DataFolder(databasePrefix: prefix) == nil)
    }
}
