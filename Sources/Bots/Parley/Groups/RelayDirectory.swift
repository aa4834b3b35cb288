internal import AsyncPrimitives
internal import ChatAPI
internal import ChatProtocol

/// The relays that a profile can use, by their addresses.
struct RelayDirectory: Sendable {
    /// Sends a command of the profile.
    let send: @Sendable (ChatCommand) async throws(ChatCoreError) -> ChatResponse

    /// The ids of relays, which are added to the profile if they are missing.
    ///
    /// - Parameter lock: The relays of a profile are replaced as a whole: concurrent changes wait.
    /// - Returns: Those that are enabled.
    func ids(of addresses: [String], holding lock: KeyedLock<UserID>, of user: UserID) async throws(ChatCoreError) -> [UserChatRelayID] {
        try await lock.withLock(user) { () throws(ChatCoreError) in try await ids(of: addresses) }
    }

    private func ids(of addresses: [String]) async throws(ChatCoreError) -> [UserChatRelayID] {
        var known = try await configured()
        let missing = addresses.filter { address in !known.contains { $0.address == address } }
        if !missing.isEmpty {
            var all = known.map { NewChatRelay(name: $0.relayProfile.displayName, address: $0.address) }
            var number = all.count
            for address in missing {
                repeat { number += 1 } while all.contains { $0.name == "relay\(number)" }
                all.append(NewChatRelay(name: "relay\(number)", address: address))
            }
            _ = try await send(.servers(.setRelays(all)))
            known = try await configured()
        }
        return known.filter { addresses.contains($0.address) }.compactMap(\.chatRelayID)
    }

    private func configured() async throws(ChatCoreError) -> [UserChatRelay] {
        guard case .userServers(_, let servers) = try await send(.servers(.relays)) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the relays")
        }
        return servers.flatMap(\.chatRelays).filter(\.enabled)
    }
}
