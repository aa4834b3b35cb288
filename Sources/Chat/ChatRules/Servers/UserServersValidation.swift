package import ChatAPI
import ChatProtocol
import SMPProtocol

/// The check that profiles have the servers that they need.
///
/// A profile needs a router that stores its messages and one that it can send through. Of file routers it needs both kinds once it
/// names any: this core cannot use them yet, so that having none is no fault.
package struct UserServersValidation {
    package private(set) var errors: [UserServersError] = []
    package private(set) var warnings: [UserServersWarning] = []

    /// - Parameters:
    ///   - servers: the new servers of a profile.
    ///   - others: what other profiles have, for which a change of an operator has consequences too.
    package init(_ servers: [UserOperatorServers], others: [(user: User, servers: [UserOperatorServers])]) {
        errors += Self.missing(.smp, in: servers, of: nil) + Self.missing(.xftp, in: servers, of: nil)
        errors += Self.duplicates(.smp, in: servers) + Self.duplicates(.xftp, in: servers) + Self.duplicateRelays(in: servers)
        warnings += Self.missingRelays(in: servers, of: nil) + Self.missingResolvers(in: servers, of: nil)
        let changed = servers.compactMap(\.serverOperator)
        for other in others {
            let theirs = other.servers.map { group in
                var group = group
                if let new = changed.first(where: { $0.operatorID == group.serverOperator?.operatorID }) { group.serverOperator = new }
                return group
            }
            errors += Self.missing(.smp, in: theirs, of: other.user) + Self.missing(.xftp, in: theirs, of: other.user)
            warnings += Self.missingRelays(in: theirs, of: other.user) + Self.missingResolvers(in: theirs, of: other.user)
        }
    }

    private static func missing(_ kind: ServerProtocol, in groups: [UserOperatorServers], of user: User?) -> [UserServersError] {
        if kind == .xftp, groups.allSatisfy({ $0.xftpServers.isEmpty }) { return [] }
        func isThere(_ fits: (ServerRoles) -> Bool) -> Bool {
            groups.contains { group in
                let fits = group.serverOperator.map { $0.enabled && fits($0.roles(kind)) } ?? true
                return fits && group.servers(kind).contains { $0.enabled && !$0.deleted }
            }
        }
        guard isThere({ _ in true }) else { return [.noServers(serverProtocol: kind.rawValue, user: user)] }
        var errors: [UserServersError] = []
        if !isThere(\.storage) { errors.append(.storageMissing(serverProtocol: kind.rawValue, user: user)) }
        if !isThere(\.proxy) { errors.append(.proxyMissing(serverProtocol: kind.rawValue, user: user)) }
        return errors
    }

    private static func duplicates(_ kind: ServerProtocol, in groups: [UserOperatorServers]) -> [UserServersError] {
        let servers = groups.flatMap { $0.servers(kind) }.filter { !$0.deleted }
        let hosts = servers.map { RouterHosts.parse($0.server) ?? [] }
        let counts = Dictionary(hosts.joined().map { ($0, 1) }, uniquingKeysWith: +)
        return zip(servers, hosts).compactMap { server, hosts in
            guard let host = hosts.first(where: { counts[$0, default: 0] > 1 }) else { return nil }
            return .duplicateServer(serverProtocol: kind.rawValue, server: server.server, host: host.description)
        }
    }

    private static func duplicateRelays(in groups: [UserOperatorServers]) -> [UserServersError] {
        let relays = groups.flatMap(\.chatRelays).filter { !$0.deleted }
        let counts = Dictionary(relays.map { ($0.address, 1) }, uniquingKeysWith: +)
        return relays.filter { counts[$0.address, default: 0] > 1 }.map {
            .duplicateChatRelayAddress(relay: $0.relayProfile.displayName, address: $0.address)
        }
    }

    private static func missingRelays(in groups: [UserOperatorServers], of user: User?) -> [UserServersWarning] {
        let isThere = groups.contains { group in
            (group.serverOperator?.enabled ?? true) && group.chatRelays.contains { $0.enabled && !$0.deleted }
        }
        return isThere ? [] : [.noChatRelays(user: user)]
    }

    private static func missingResolvers(in groups: [UserOperatorServers], of user: User?) -> [UserServersWarning] {
        let isThere = groups.contains { group in
            let resolves = group.serverOperator.map { $0.enabled && $0.smpRoles.names != false } ?? true
            return resolves && group.smpServers.contains { $0.enabled && !$0.deleted }
        }
        return isThere ? [] : [.noNamesServers(user: user)]
    }

    /// The first error as a text; nil without errors.
    package var fault: String? {
        guard !errors.isEmpty else { return nil }
        return "user servers validation error(s): " + errors.map(\.words).joined(separator: ", ")
    }
}

extension UserOperatorServers {
    package func servers(_ kind: ServerProtocol) -> [UserServer] {
        switch kind {
        case .smp: smpServers
        case .xftp: xftpServers
        case .ntf: []
        }
    }
}

extension ServerOperator {
    fileprivate func roles(_ kind: ServerProtocol) -> ServerRoles { kind == .xftp ? xftpRoles : smpRoles }
}

extension UserServersError {
    fileprivate var words: String {
        func owner(_ user: User?) -> String { user.map { " for \($0.localDisplayName)" } ?? "" }
        return switch self {
        case .noServers(let kind, let user): "no \(kind) servers are enabled\(owner(user))"
        case .storageMissing(let kind, let user): "no \(kind) server is used to receive\(owner(user))"
        case .proxyMissing(let kind, let user): "no \(kind) server is used to send through\(owner(user))"
        case .duplicateServer(_, let server, let host): "\(server) shares the host \(host) with another"
        case .duplicateChatRelayAddress(let relay, _): "the address of relay \(relay) is there twice"
        case .other(let tag, _): tag
        }
    }
}
