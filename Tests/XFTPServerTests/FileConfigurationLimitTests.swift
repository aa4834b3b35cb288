import RouterSupport
import SMPWire
import Testing

@testable import XFTPServer

/// Settings of a file router at the ends of what it takes, and just beyond.
@Suite struct FileConfigurationLimitTests {
    struct Setting: Sendable, CustomStringConvertible {
        let description: String
        let change: @Sendable (inout FileRouterConfiguration) -> Void

        /// A setting with several values.
        static func values<Value: Sendable>(
            _ path: any WritableKeyPath<FileRouterConfiguration, Value> & Sendable, _ name: String, _ values: [Value]
        ) -> [Setting] {
            values.map { value in Setting(description: "\(name) \(value)") { $0[keyPath: path] = value } }
        }
    }

    private static let century = Duration.seconds(36_500 * 86_400)
    private static let moment = Duration.nanoseconds(1)

    static let valid: [Setting] =
        Setting.values(\.port, "port", [0, 65_535]) + Setting.values(\.quota, "quota", [nil, 65_536, .max])
        + Setting.values(\.fileLifetime, "lifetime", [nil, .seconds(3_600), century])
        + Setting.values(\.expirySweepInterval, "sweep", [.milliseconds(1), century]) + Setting.values(\.maximumFiles, "files", [1])
        + Setting.values(\.filesPerAddressAndHour, "files of an address", [nil, 1, 1_000_000])
        + Setting.values(\.downloadsPerAddress, "downloads", [nil, 1]) + Setting.values(\.transferTimeout, "transfer", [.milliseconds(1), century])
        + Setting.values(\.idleTimeout, "idle", [nil, .milliseconds(1), century]) + Setting.values(\.certificateDays, "certificate", [nil, 2, 999_999])
        + Setting.values(\.segmentSize, "segment", [1 << 10, 1 << 30]) + Setting.values(\.versions, "versions", [.init(1), .init(1...3), .init(3)])

    static let invalid: [Setting] =
        Setting.values(\.port, "port", [-1, 65_536]) + Setting.values(\.quota, "quota", [0, -1, 65_535])
        + Setting.values(\.fileLifetime, "lifetime", [.zero, .seconds(3_600) - moment, century + moment])
        + Setting.values(\.expirySweepInterval, "sweep", [.zero, .milliseconds(1) - moment, century + moment])
        + Setting.values(\.maximumRecipientsInTotal, "recipients in total", [0]) + Setting.values(\.maximumRequests, "requests", [0])
        + Setting.values(\.maximumFiles, "files", [0]) + Setting.values(\.maximumRecipients, "recipients", [0])
        + Setting.values(\.maximumConnections, "connections", [0]) + Setting.values(\.maximumHandshakes, "handshakes", [0])
        + Setting.values(\.maximumConnectionsPerAddress, "connections of an address", [0])
        + Setting.values(\.filesPerAddressAndHour, "files of an address", [0, 1_000_001]) + Setting.values(\.downloadsPerAddress, "downloads", [0])
        + Setting.values(\.handshakeTimeout, "handshake", [.zero, century + moment]) + Setting.values(\.transferTimeout, "transfer", [.zero, century + moment])
        + Setting.values(\.idleTimeout, "idle", [.zero, century + moment]) + Setting.values(\.certificateDays, "certificate", [1, 1_000_000])
        + Setting.values(\.metrics, "metrics", [.init(port: -1), .init(port: 65_536)])
        + Setting.values(\.segmentSize, "segment", [(1 << 10) - 1, (1 << 30) + 1])
        + Setting.values(\.clearingThreshold, "clearing", [-1]) + Setting.values(\.versions, "versions", [.init(0...3), .init(1...4), .init(4)])

    @Test(arguments: valid) func aValueAtTheEndOfItsRangeIsTaken(_ setting: Setting) {
        var configuration = FileRouterConfiguration(folder: "/nowhere")
        setting.change(&configuration)
        #expect(throws: Never.self) { try configuration.validate() }
    }

    @Test(arguments: invalid) func aValueBeyondTheEndOfItsRangeIsRefusedWithAReason(_ setting: Setting) {
        var configuration = FileRouterConfiguration(folder: "/nowhere")
        setting.change(&configuration)
        let error = #expect(throws: RouterError.self) { try configuration.validate() }
        #expect(error?.code == .invalidConfiguration && error?.message.isEmpty == false)
    }
}
