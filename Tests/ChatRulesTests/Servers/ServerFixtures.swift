import ChatAPI
import ChatProtocol

/// Operators and servers that tests of server sets begin with.
enum ServerFixtures {
    private static let fingerprint = "0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU="

    static func address(_ host: String, _ scheme: String = "smp") -> String { "\(scheme)://\(fingerprint)@\(host)" }

    static func server(_ host: String, _ scheme: String = "smp", isPreset: Bool = false, enabled: Bool = true, deleted: Bool = false) -> UserServer {
        UserServer(server: address(host, scheme), isPreset: isPreset, enabled: enabled, deleted: deleted)
    }

    static func relay(_ name: String, domains: [String] = [], preset: Bool = false, enabled: Bool = true, deleted: Bool = false) -> UserChatRelay {
        UserChatRelay(
            address: "https://\(name).example/r#key", relayProfile: RelayProfile(displayName: name), domains: domains, preset: preset, enabled: enabled,
            deleted: deleted)
    }

    static func serverOperator(
        _ id: Int64 = 1, domains: [String] = ["one.example"], enabled: Bool = true, storage: Bool = true, proxy: Bool = true,
        conditions: ConditionsAcceptance = .required(deadline: nil)
    ) -> ServerOperator {
        let roles = ServerRoles(storage: storage, proxy: proxy)
        return ServerOperator(
            operatorID: ServerOperatorID(id), tradeName: "operator \(id)", serverDomains: domains, conditionsAcceptance: conditions, enabled: enabled,
            smpRoles: roles, xftpRoles: roles)
    }

    static func group(
        _ owner: ServerOperator? = nil, smp: [UserServer] = [], xftp: [UserServer] = [], relays: [UserChatRelay] = []
    ) -> UserOperatorServers { UserOperatorServers(serverOperator: owner, smpServers: smp, xftpServers: xftp, chatRelays: relays) }
}
