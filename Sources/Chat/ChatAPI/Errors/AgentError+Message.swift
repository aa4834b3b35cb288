import ChatProtocol

extension MessagingError {
    /// A message with the cause and the remedy for a person; nil if there is only a code.
    var message: String? {
        switch self {
        case .broker(let server, .network(.unknownCA)), .broker(let server, .transport(.handshake)):
            "What answers at \(Self.host(server)) is not the router of that address: its identity is another."
        case .broker(let server, .network), .broker(let server, .timeout):
            "The router \(Self.host(server)) cannot be reached: check that it runs and that the network works, and try again."
        case .broker(let server, .host):
            "The router \(Self.host(server)) is not one that can be reached from here."
        case .broker(let server, .transport(.version)):
            "The router \(Self.host(server)) speaks other versions of the protocol: one of the two is to be updated."
        case .broker(let server, _):
            "The router \(Self.host(server)) does not answer as a router does."
        case .smp(_, .auth): "The link is not valid any more: it was deleted, or it was for one time and has been used."
        case .smp(let server, .blocked): "The router \(Self.host(server)) has blocked it."
        case .smp(_, .quota): "The other side has too many messages to fetch: they are sent when it has fetched some."
        case .smp(_, .largeMessage), .command(.large, _): "The message is too large."
        case .command(.noConnection, _), .connection(.notFound, _): "The connection is not there any more."
        case .connection(.notAvailable, _): "The other side is not available."
        case .agent(.version): "The other side speaks other versions of the protocol: one of the two is to be updated."
        case .agent(.link): "The data of the link cannot be read."
        case .other("NO_NAME_SERVERS", _):
            "No router resolves names: one of the profile's routers needs the role names, and another host must be the proxy for the question."
        case .smp(_, .other("NAME", let error)) where error["nameErr"]?["type"] == "NOT_FOUND": "The name is not registered."
        case .smp(let server, .other("NAME", _)): "The router \(Self.host(server)) could not resolve the name: try again later."
        case .inactive: "The core is stopped: start it first."
        default: nil
        }
    }

    /// The part of a router's address that tells a person which one it is.
    private static func host(_ server: String) -> String {
        server.split(separator: "@").last.map(String.init) ?? server
    }
}
