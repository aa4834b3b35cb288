import ChatAPI
import ChatProtocol
import SMPProtocol

// The address of a relay, which shows another profile and has another type than that of a person.

extension User {
    /// The data behind the link of this profile's address; nil if it does not fit.
    func addressData(message: MessageContent?, isBusiness: Bool) -> UserLinkData? {
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
    func addressLink(_ link: ConnectionShortLink?) -> ConnectionShortLink? { isChatRelay ? link?.with(type: .relay) : link }
}
