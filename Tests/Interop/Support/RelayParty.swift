import ChatProtocol
import OfficialPeers
import ProcessSupport

/// A relay of channels as a process of its own, which can be killed and started again: `parley api --relay`, or an official client.
final class RelayParty: Party {
    let name: String
    let implementation: Implementation
    /// The address by which owners of channels find it.
    let address: String
    private let client: OfficialClient

    var events: Mailbox<JSONValue> { client.events }
    var folder: ScratchFolder { client.folder }

    private init(_ name: String, _ implementation: Implementation, address: String, _ client: OfficialClient) {
        (self.name, self.implementation, self.address, self.client) = (name, implementation, address, client)
    }

    /// Starts a relay with a new profile and an address.
    static func start(_ implementation: Implementation, servers: [String]) async throws -> RelayParty {
        let program = implementation == .official ? OfficialClient.Program.simplexChat : .parley(ParleyProgram.path)
        return try await start(implementation, program, servers: servers)
    }

    /// Starts a relay of a program with a new profile and an address.
    static func start(_ implementation: Implementation, _ program: OfficialClient.Program, servers: [String]) async throws -> RelayParty {
        let name = implementation == .official ? "orla" : "piet"
        let (client, address) = try await OfficialClient.startRelay(name, program: program, servers: servers)
        return RelayParty(name, implementation, address: address, client)
    }

    func send(_ command: String) async throws -> JSONValue { try await client.send(command) }
    func leave() async throws { await client.stop() }
    func comeBack() async throws { try await client.start() }

    /// Ends the process as a crash does.
    func kill() async { await client.stop(.kill) }
}
