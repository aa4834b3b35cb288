internal import Parley
internal import Yams

/// Reads `network:`, how the bots reach routers.
enum NetworkSpec {
    static func read(_ node: NodeReader) -> HostNetwork {
        var network = HostNetwork()
        guard let mapping = node.mapping() else { return network }
        mapping.refuseKeys(otherThan: Schemas.network)
        for key in HostNetwork.Key.allCases {
            guard let value = mapping.value(key.rawValue), let text = value.nonEmptyString() else { continue }
            do throws(HostNetwork.Fault) {
                try network.set(key, to: text)
            } catch {
                value.report(.badValue, "\(value.path): \(error)", hint: error.words.isEmpty ? nil : Spelling.hint(for: text, among: error.words))
            }
        }
        if network.acceptsConditions, !network.usesPresetOperators, let value = mapping.value(HostNetwork.Key.acceptConditions.rawValue) {
            value.report(.badValue, "\(value.path) means nothing without \"operators: preset\"", hint: "add \"operators: preset\", or leave it out")
        }
        return network
    }
}
