import ChatProtocol
package import ProcessSupport

extension OfficialClient {
    /// Makes and starts a relay of channels.
    ///
    /// - Returns: The relay, and the address by which owners of channels find it.
    package static func startRelay(
        _ name: String, program: Program, servers: [String]
    ) async throws(PeerError) -> (client: OfficialClient, address: String) {
        var options = Options(servers: servers)
        options.program = program
        options.arguments = ["--relay"]
        let client = try await start(name, options)
        if case .parley = program {
            let user: JSONValue = ["profile": ["displayName": .string(name), "fullName": ""], "pastTimestamp": false, "userChatRelay": true]
            try await client.send("/_create user \(user.text)")
            try await client.send("/_start")
        }
        let shown: JSONValue
        do throws(PeerError) {
            shown = try await client.send("/_show_address 1")
        } catch {
            guard error.code == .refused else { throw error }
            shown = try await client.send("/_address 1")
        }
        let link = (shown["contactLink"] ?? shown)["connLinkContact"]
        guard let address = link?["connShortLink"]?.stringValue else { throw PeerError(.launch, "\(name) has no address of a relay", response: shown) }
        return (client, address)
    }
}
