import SMPProtocol

extension SMPCommand {
    /// The kind of response that a command expects.
    enum ResponseKind: Sendable {
        /// Anything but the response that `accepts` tells is an error.
        case plain
        /// `SUB`: a message may come instead of `OK`.
        case subscription
        /// `ACK`: likewise.
        case acknowledgement
    }

    var responseKind: ResponseKind {
        switch self {
        case .sub: .subscription
        case .ack: .acknowledgement
        default: .plain
        }
    }

    /// The version that brought the command; 6 for all that this client sends whatever the router's version.
    var firstVersion: UInt16 { if case .rslv = self { SMPVersion.names } else { 6 } }

    /// Checks whether a router may answer the command with this.
    func accepts(_ response: SMPBrokerMessage) -> Bool {
        switch (self, response) {
        case (.new, .ids), (.subs, .soks), (.nsubs, .soks), (.nkey, .nid), (.que, .info), (.ping, .pong), (.lkey, .lnk),
            (.lget, .lnk), (.prxy, .pkey), (.pfwd, .pres), (.rfwd, .rres), (.rslv, .rname):
            true
        case (.sub, .ok), (.sub, .sok), (.sub, .msg), (.nsub, .ok), (.nsub, .sok), (.get, .ok), (.get, .msg), (.ack, .ok),
            (.ack, .msg):
            true
        case (.key, .ok), (.rkey, .ok), (.lset, .ok), (.ldel, .ok), (.ndel, .ok), (.off, .ok), (.del, .ok), (.skey, .ok),
            (.send, .ok):
            true
        default: false
        }
    }
}
