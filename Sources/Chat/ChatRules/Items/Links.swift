package import ChatAPI
package import ChatProtocol
package import SMPProtocol
import SMPWire

/// A link to connect by, read.
package struct FullLink: Sendable {
    package var link: ConnectionRequestURI
    /// The short link that led to it.
    package var short: ConnectionShortLink?

    package init(_ link: ConnectionRequestURI, short: ConnectionShortLink? = nil) {
        self.link = link
        self.short = short?.with(scheme: .server)
    }

    /// The link of a command.
    package init(_ link: CreatedConnectionLink) throws {
        guard let full = try? ConnectionRequestURI(wireString: link.fullLink) else { throw Refusal.chat(.invalidConnectionRequest) }
        var short: ConnectionShortLink?
        if let text = link.shortLink {
            guard let parsed = try? ConnectionShortLink(wireString: text), parsed.mode == full.mode else {
                throw Refusal.chat(.invalidConnectionRequest)
            }
            short = parsed
        }
        self.init(full, short: short)
    }

    /// The link as it is stored and shown.
    package var created: CreatedConnectionLink { CreatedConnectionLink(fullLink: link.wireString, shortLink: short?.wireString) }

    /// The key by which the link is found again, whatever its scheme and whichever versions it offers.
    package var key: String {
        var known = link
        switch known {
        case .invitation(var request, let parameters):
            request.scheme = .simplex
            known = .invitation(request, parameters)
        case .contact(var request):
            request.scheme = .simplex
            request.agentVersions = SMPAgentVersion.supported
            known = .contact(request)
        }
        return known.wireString
    }

    /// True if the link offers post-quantum encryption from the first message; nil if it does not say.
    package var offersPostQuantum: Bool? {
        switch link {
        case .invitation(_, let parameters): parameters.kemKey != nil
        case .contact: nil
        }
    }

    /// True for the link of a group.
    package var isGroup: Bool { groupLinkID != nil }

    /// The id that a group link carries.
    package var groupLinkID: GroupLinkID? {
        link.request.clientData.flatMap { try? GroupLinkClientData(parsing: $0) }?.groupLinkID
    }

    package var kind: ConnectionLinkMode { link.mode == .invitation ? .invitation : .contact }
}

extension ContactShortLinkData {
    /// The data that is published behind a link: nil if it does not fit, which the agent tells.
    package var userData: UserLinkData? { (try? ShortLinkUserData.encode(self)).map { UserLinkData($0) } }
}
