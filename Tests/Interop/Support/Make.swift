import ChatProtocol
import OfficialPeers
import ProcessSupport
import TestSupport

/// A program and its release: what a party or a router of the matrix is made of.
enum Make: String, CaseIterable, Sendable, CustomStringConvertible {
    /// The official programs in the folder of `SIMPLEX_PREVIOUS_PEERS`.
    case previous = "6.5"
    /// The official programs in the folder of `SIMPLEX_PEERS`.
    case current = "7.0"
    case parley = "Parley"

    var description: String { rawValue }
    /// The end of the names of its parties.
    var suffix: String {
        switch self {
        case .previous: "old"
        case .current: "new"
        case .parley: "parley"
        }
    }

    private var implementation: Implementation { self == .parley ? .parley : .official }

    private var program: OfficialClient.Program {
        switch self {
        case .previous: .official(.previous)
        case .current: .official(.current)
        case .parley: .parley(ParleyProgram.path)
        }
    }

    /// A party with one profile, online.
    func party(_ name: String, server: String) async throws -> any Party {
        guard self == .previous else { return try await implementation.party(name, servers: [server]) }
        var options = OfficialClient.Options(servers: [server])
        options.program = program
        return try await OfficialClient.start(name, options)
    }

    /// A relay of channels.
    func relay(server: String) async throws -> RelayParty { try await RelayParty.start(implementation, program, servers: [server]) }

    /// The address of a router that all tests share.
    func router() async throws -> String {
        guard self == .previous else { return try await Stage.shared.router(implementation).address }
        return try await Stage.shared.previousRouter().address
    }
}
