internal import SMPProtocol
internal import SMPWire

// Names that profiles claim. A claim is no proof: only the resolution of the name tells whether it leads to the owner of the profile.

/// Claims of names in the JSON of profiles, of which this module knows no other members.
enum DomainClaim {
    static let contact = "contactDomain"
    static let access = "publicGroupAccess"
    static let group = "groupDomainClaim"

    /// The domain of a claim in its usual form; nil for what is no domain.
    static func domain(_ claim: JSONValue?) -> String? { claim?["domain"]?.stringValue.flatMap { try? SimpleXDomain(wireString: $0) }?.fullName }
}

extension Profile {
    /// The domain that the owner claims, such as `ann.simplex`, in its usual form; nil for none.
    package var claimedDomain: String? { DomainClaim.domain(unknownMembers[DomainClaim.contact]) }

    /// Claims a domain; nil takes the claim back. A claim of the same domain keeps its proof.
    package mutating func claim(_ domain: String?) {
        guard domain != claimedDomain || domain == nil else { return }
        unknownMembers[DomainClaim.contact] = domain.map { ["domain": .string($0)] }
    }

    /// Takes over what another profile of the same owner claims.
    package mutating func takeClaim(of other: Profile) { unknownMembers[DomainClaim.contact] = other.unknownMembers[DomainClaim.contact] }
}

extension GroupProfile {
    /// The domain that the owners claim for their channel, in its usual form; nil for none.
    package var claimedDomain: String? { DomainClaim.domain(publicGroup?.unknownMembers[DomainClaim.access]?[DomainClaim.group]) }
}

extension PublicGroupProfile {
    /// The ways to the channel that are not links, with members of newer clients; nil for none.
    package var access: JSONObject? {
        get { unknownMembers[DomainClaim.access]?.objectValue }
        set { unknownMembers[DomainClaim.access] = newValue.map(JSONValue.object) }
    }
}
