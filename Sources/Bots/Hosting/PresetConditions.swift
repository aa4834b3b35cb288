internal import ChatAPI

/// The check of the preset operators' conditions of use, between opening a core and starting it.
///
/// A core contacts nobody before it is started, so that no router is contacted unless the conditions are accepted.
enum PresetConditions {
    /// Accepts the conditions if `accepts` is true; otherwise checks that they are accepted.
    ///
    /// - Throws: ``HostError`` `conditionsNotAccepted`, with their text or address, if they must be accepted first.
    static func settle(_ core: any ChatCore, accepts: Bool) async throws {
        guard case .serverOperatorConditions(let state) = try await core.send(.servers(.operators), as: nil) else {
            throw ChatCoreError(.invalidResponse, "the core does not report the state of the conditions of use")
        }
        let missing = state.serverOperators.filter { $0.enabled && !$0.hasAcceptedConditions }
        guard !missing.isEmpty else { return }
        guard accepts else { throw HostError(.conditionsNotAccepted, try await explanation(core, missing)) }
        let accepted = ServerCommand.acceptConditions(state.currentConditions.conditionsID, operators: missing.compactMap(\.operatorID))
        _ = try await core.send(.servers(accepted), as: nil)
    }

    private static func explanation(_ core: any ChatCore, _ operators: [ServerOperator]) async throws -> String {
        guard case .usageConditions(_, let text, _) = try await core.send(.servers(.conditions), as: nil) else {
            throw ChatCoreError(.invalidResponse, "the core does not show the conditions of use")
        }
        let names = operators.map(\.tradeName).joined(separator: " and ")
        return """
            the conditions of use of \(names) are not accepted, and their routers were not contacted. \
            The conditions: \(text ?? "not shown")
            Accept them with "accept-conditions: yes" under "network:" of bots.yaml, or with --accept-conditions. A program in Swift calls \
            HostNetwork.presetOperators(acceptingConditions: true).
            """
    }
}

extension ServerOperator {
    fileprivate var hasAcceptedConditions: Bool {
        if case .accepted = conditionsAcceptance { true } else { false }
    }
}
