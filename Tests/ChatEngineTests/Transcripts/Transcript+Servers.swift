import ChatAPI
import ChatProtocol
import ChatRules
import SMPClient
import TranscriptSupport

@testable import ChatEngine

// Servers and operators that the official cores of a recording were set up with.

extension Transcript {
    /// The router of those that had one of their own, if the recording shows it.
    var routerAddress: String? {
        lines.lazy.compactMap { line in
            servers(in: line)?.first { $0.serverOperator == nil }?.smpServers.first?.server
        }.first
    }

    /// Sets a core up as that of the peer was.
    func configure(_ configuration: inout NativeCoreConfiguration, of peer: String) {
        if let network = lines.lazy.compactMap({ $0.peer == peer ? networkConfig(in: $0) : nil }).first {
            configuration.network.hostMode = .init(rawValue: network.hostMode)
            configuration.network.privateRouting = .init(rawValue: network.smpProxyMode)
            configuration.network.privateRoutingFallback = .init(rawValue: network.smpProxyFallback)
            configuration.network.timeout = network.tcpTimeout.interactive / 1_000_000
        }
        guard let shown = lines.lazy.compactMap({ $0.peer == peer ? servers(in: $0) : nil }).first else { return }
        configuration.fileServers = shown.filter { $0.serverOperator == nil }.flatMap(\.xftpServers).map(\.server)
        configuration.operators = shown.compactMap { group in
            guard let one = group.serverOperator, let tag = one.operatorTag else { return nil }
            func preset(_ server: UserServer) -> PresetOperator.Server { .init(server.server, isEnabled: server.enabled) }
            return PresetOperator(
                tag: tag, tradeName: one.tradeName, legalName: one.legalName, serverDomains: one.serverDomains, isEnabled: one.enabled,
                smpRoles: one.smpRoles, xftpRoles: one.xftpRoles, smpServers: group.smpServers.map(preset),
                xftpServers: group.xftpServers.map(preset), chatRelays: group.chatRelays)
        }
        if !configuration.operators.isEmpty { configuration.servers = [] }
        for line in lines where line.body["type"] == "usageConditions" {
            guard let commit = line.body["usageConditions"]?["conditionsCommit"]?.stringValue, let text = line.body["conditionsText"]?.stringValue
            else { continue }
            configuration.conditions = ConditionsDocument(commit: commit, text: text)
        }
    }

    private func networkConfig(in line: Line) -> NetworkConfig? {
        guard line.direction == .response, line.body["type"] == "networkConfig" else { return nil }
        return line.body["networkConfig"].flatMap { try? NetworkConfig(json: $0) }
    }

    private func servers(in line: Line) -> [UserOperatorServers]? {
        guard line.direction == .response, line.body["type"] == "userServers" else { return nil }
        return line.body["userServers"]?.arrayValue?.compactMap { try? UserOperatorServers(json: $0) }
    }
}
