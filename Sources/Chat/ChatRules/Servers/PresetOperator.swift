package import ChatAPI
package import SMPCrypto
import SMPWire

/// Somebody whose servers every profile is offered, beside those that it has itself.
package struct PresetOperator: Sendable, Hashable {
    /// A server as profiles get it first.
    package struct Server: Sendable, Hashable {
        /// `smp://…` or `xftp://…`
        package var address: String
        /// True if profiles use it until they choose otherwise.
        package var isEnabled: Bool

        package init(_ address: String, isEnabled: Bool = true) {
            self.address = address
            self.isEnabled = isEnabled
        }
    }

    /// Known by this word, over all versions.
    package var tag: String
    package var tradeName: String
    package var legalName: String?
    /// Anyone who runs servers below these domains is this operator.
    package var serverDomains: [String]
    /// True if its servers are used until somebody chooses otherwise.
    package var isEnabled: Bool
    package var smpRoles: ServerRoles
    package var xftpRoles: ServerRoles
    package var smpServers: [Server]
    /// The number of enabled servers that a profile begins with, drawn at random; 0 for all. This spreads profiles over the operator's servers.
    package var smpServersInUse: Int
    package var xftpServers: [Server]
    /// The same for file servers.
    package var xftpServersInUse: Int
    /// Relays for channels.
    package var chatRelays: [UserChatRelay]

    package init(
        tag: String, tradeName: String, legalName: String? = nil, serverDomains: [String], isEnabled: Bool = true,
        smpRoles: ServerRoles = ServerRoles(storage: true, proxy: true, names: true),
        xftpRoles: ServerRoles = ServerRoles(storage: true, proxy: true, names: false),
        smpServers: [Server], smpServersInUse: Int = 0, xftpServers: [Server] = [], xftpServersInUse: Int = 0, chatRelays: [UserChatRelay] = []
    ) {
        self.tag = tag
        self.tradeName = tradeName
        self.legalName = legalName
        self.serverDomains = serverDomains
        self.isEnabled = isEnabled
        self.smpRoles = smpRoles
        self.xftpRoles = xftpRoles
        self.smpServers = smpServers
        self.smpServersInUse = smpServersInUse
        self.xftpServers = xftpServers
        self.xftpServersInUse = xftpServersInUse
        self.chatRelays = chatRelays
    }
}

extension PresetOperator {
    /// The operator as one profile begins with it: as many servers enabled as are to be used, drawn at random.
    package func drawn(using random: any RandomSource) -> PresetOperator {
        var one = self
        Self.draw(smpServersInUse, of: &one.smpServers, using: random)
        Self.draw(xftpServersInUse, of: &one.xftpServers, using: random)
        return one
    }

    private static func draw(_ count: Int, of servers: inout [Server], using random: any RandomSource) {
        let enabled = servers.indices.filter { servers[$0].isEnabled }
        guard count > 0, count < enabled.count else { return }
        var generator = RandomSourceGenerator(source: random)
        for index in enabled.shuffled(using: &generator).dropFirst(count) { servers[index].isEnabled = false }
    }
}

/// The standard library's view of a source of random bytes.
private struct RandomSourceGenerator: RandomNumberGenerator {
    let source: any RandomSource

    mutating func next() -> UInt64 { source.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The conditions on which preset operators let their servers be used.
package struct ConditionsDocument: Sendable, Hashable {
    /// The commit of the document that has the text: it names the version.
    package var commit: String
    /// The text that is shown.
    package var text: String

    package init(commit: String, text: String) {
        self.commit = commit
        self.text = text
    }

    /// The conditions that clients of version 6.5 ask for. They are the operators' document: this names its place instead of copying it.
    package static let version6_5 = ConditionsDocument(
        commit: "05f99634c470f8bddac20046947a0606938b22ad",
        text: """
            The conditions of use of the preset operators are published at \
            https://github.com/simplex-chat/simplex-chat/blob/05f99634c470f8bddac20046947a0606938b22ad/PRIVACY.md
            """)
}
