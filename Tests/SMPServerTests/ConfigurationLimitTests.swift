import SMPWire
import Testing

@testable import RouterSupport
@testable import SMPServer

/// Settings at the ends of what a router takes, and just beyond.
@Suite struct ConfigurationLimitTests {
    struct Setting: Sendable, CustomStringConvertible {
        let description: String
        /// Changes the setting to a value that is taken, or is not.
        let change: @Sendable (inout RouterConfiguration) -> Void

        init(_ description: String, _ change: @escaping @Sendable (inout RouterConfiguration) -> Void) {
            (self.description, self.change) = (description, change)
        }

        /// A setting with several values.
        static func values<Value: Sendable>(
            _ path: any WritableKeyPath<RouterConfiguration, Value> & Sendable, _ name: String, _ values: [Value]
        ) -> [Setting] {
            values.map { value in Setting("\(name) \(value)") { $0[keyPath: path] = value } }
        }
    }

    private static let day = Duration.seconds(86_400)
    private static let century = Duration.seconds(36_500 * 86_400)
    private static let moment = Duration.nanoseconds(1)

    static let valid: [Setting] =
        Setting.values(\.port, "port", [0, 1, 65_535]) + Setting.values(\.messageQuota, "quota", [1, 100_000])
        + Setting.values(\.messageLifetime, "message lifetime", [nil, .seconds(1), century * 100])
        + Setting.values(\.queueLifetime, "queue lifetime", [nil, day]) + Setting.values(\.certificateDays, "certificate", [nil, 2, 999_999])
        + Setting.values(\.metrics, "metrics", [nil, .init(port: 0), .init(port: 65_535)])
        + Setting.values(\.expirySweepInterval, "sweep", [.seconds(1), century]) + Setting.values(\.maximumQueues, "queues", [1])
        + Setting.values(\.maximumConnectionsPerAddress, "connections of an address", [nil, 1])
        + Setting.values(\.queuesPerAddressAndHour, "queues of an address", [nil, 1, 1_000_000])
        + Setting.values(\.handshakeTimeout, "handshake", [.milliseconds(1), day]) + Setting.values(\.stallTimeout, "stall", [.milliseconds(1), day])
        + Setting.values(\.idleTimeout, "idle", [nil, .milliseconds(1), century])
        + Setting.values(\.segmentSize, "segment", [1 << 10, 1 << 30]) + Setting.values(\.clearingThreshold, "clearing", [0])
        + Setting.values(
            \.durability, "durability",
            [
                .always, .interval(.milliseconds(Durability.milliseconds.lowerBound)), .interval(.milliseconds(Durability.milliseconds.upperBound)),
            ]) + Setting.values(\.versions, "versions", [.init(6), .init(6...18), .init(18)])

    static let invalid: [Setting] =
        Setting.values(\.port, "port", [-1, 65_536, .max]) + Setting.values(\.messageQuota, "quota", [.min, 0, 100_001])
        + Setting.values(\.messageLifetime, "message lifetime", [.zero, .seconds(-1), .seconds(1) - moment])
        + Setting.values(\.queueLifetime, "queue lifetime", [.zero, day - moment]) + Setting.values(\.certificateDays, "certificate", [-1, 0, 1, 1_000_000])
        + Setting.values(\.metrics, "metrics", [.init(port: -1), .init(port: 65_536)])
        + Setting.values(\.expirySweepInterval, "sweep", [.zero, .seconds(1) - moment, century + moment])
        + Setting.values(\.maximumQueues, "queues", [0, -1]) + Setting.values(\.maximumRelays, "relays", [0])
        + Setting.values(\.maximumConnections, "connections", [0]) + Setting.values(\.maximumHandshakes, "handshakes", [0])
        + Setting.values(\.maximumConnectionsPerAddress, "connections of an address", [0, -1])
        + Setting.values(\.queuesPerAddressAndHour, "queues of an address", [0, 1_000_001])
        + Setting.values(\.handshakeTimeout, "handshake", [.zero, .milliseconds(1) - moment, day + moment])
        + Setting.values(\.stallTimeout, "stall", [.zero, .milliseconds(1) - moment, day + moment])
        + Setting.values(\.idleTimeout, "idle", [.zero, .milliseconds(1) - moment, century + moment])
        + Setting.values(\.segmentSize, "segment", [0, (1 << 10) - 1, (1 << 30) + 1]) + Setting.values(\.clearingThreshold, "clearing", [-1])
        + Setting.values(
            \.durability, "durability",
            [
                .interval(.milliseconds(Durability.milliseconds.lowerBound) - moment), .interval(.milliseconds(Durability.milliseconds.upperBound) + moment),
            ]) + Setting.values(\.versions, "versions", [.init(5...18), .init(6...21), .init(0...65_535)])

    @Test(arguments: valid) func aValueAtTheEndOfItsRangeIsTaken(_ setting: Setting) {
        var configuration = RouterConfiguration(storage: .memory)
        setting.change(&configuration)
        #expect(throws: Never.self) { try configuration.validate() }
    }

    @Test(arguments: invalid) func aValueBeyondTheEndOfItsRangeIsRefusedWithAReason(_ setting: Setting) {
        var configuration = RouterConfiguration(storage: .memory)
        setting.change(&configuration)
        let error = #expect(throws: RouterError.self) { try configuration.validate() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.isEmpty == false)
    }
}
