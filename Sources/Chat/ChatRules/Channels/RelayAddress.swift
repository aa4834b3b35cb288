package import ChatAPI
package import ChatProtocol
package import SMPProtocol

// The address of a relay, which shows another profile and has another type than that of a person.

extension User {
    /// The data behind the link of this profile's address; nil if it does not fit.
    package func addressData(message: MessageContent?, isBusiness: Bool) -> UserLinkData? {
        guard isChatRelay else {
            let shared = sharedProfile(incognito: nil, contactPreferences: nil, usesProfileTTL: true)
            return ContactShortLinkData(profile: shared, message: message, business: isBusiness).userData
        }
        let shown = profile.published
        let relay = RelayProfile(
            displayName: shown.displayName, fullName: shown.fullName, shortDescription: shown.shortDescription, image: shown.image)
        return (try? ShortLinkUserData.encode(RelayAddressLinkData(relayProfile: relay))).map { UserLinkData($0) }
    }

    /// The link of the address with its type.
    package func addressLink(_ link: ConnectionShortLink?) -> ConnectionShortLink? { isChatRelay ? link?.with(type: .relay) : link }
}

extension ConnectionShortLink {
    /// The link with the type by which apps recognize its target.
    package func with(type: ContactLinkType) -> ConnectionShortLink {
        guard case .contact(_, _, let server, let key) = self else { return self }
        return .contact(scheme: .server, type: type, server: server, key: key)
    }
}
