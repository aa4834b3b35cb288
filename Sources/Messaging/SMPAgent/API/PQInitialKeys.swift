/// The post-quantum encryption that a new connection asks for, and the message that carries its first KEM key (pqdr.md).
package enum PQInitialKeys: Hashable, Sendable {
    /// The link and the short link's data hold a KEM key: encryption is post-quantum from the first confirmation. The link is
    /// about 1,600 characters longer. Not allowed for contact addresses, which carry no ratchet keys.
    case usePQ
    /// Only the short link's data holds a KEM key, if `support` is on; the full link stays short.
    case linkPQ(support: Bool)

    /// The default: post-quantum encryption is supported, the full link has no KEM key.
    package static var supported: PQInitialKeys { .linkPQ(support: true) }
    /// Post-quantum encryption is off.
    package static var off: PQInitialKeys { .linkPQ(support: false) }

    /// Checks whether the link's ratchet parameters propose a KEM key.
    func proposesKEM(shortLink: Bool) -> Bool {
        switch self {
        case .usePQ: true
        case .linkPQ(let support): support && shortLink
        }
    }

    /// True if the connection supports post-quantum encryption, if its peer does.
    var support: Bool {
        switch self {
        case .usePQ: true
        case .linkPQ(let support): support
        }
    }

    /// The keys in the invitation inside a contact request: compatible peers get the KEM key at once.
    static func joiningContact(compatible: Bool, support: Bool) -> PQInitialKeys {
        support && compatible ? .usePQ : .linkPQ(support: support)
    }
}
