package import ChatAPI
package import ChatProtocol
package import SMPWire

// Values of the API as columns contain them.

extension UTCTimestamp {
    /// The moment that many nanoseconds after 1970-01-01T00:00:00Z, as times are stored.
    package init(stored nanoseconds: Int64) {
        // Also for the least number, which is what all moments before 1678 are stored as.
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(seconds: rest < 0 ? seconds - 1 : seconds, nanoseconds: UInt32(rest < 0 ? rest + 1_000_000_000 : rest))
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z; times outside the years 1678 to 2262 are set to the limits.
    package var stored: Int64 {
        // Before 1970 from the end of the second, as the beginning of the first one that is stored is beyond the limit.
        let whole = seconds < 0 ? seconds + 1 : seconds
        let (span, overflow) = whole.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, past) = span.addingReportingOverflow(Int64(nanoseconds) - (seconds < 0 ? 1_000_000_000 : 0))
        return overflow || past ? (seconds < 0 ? .min : .max) : sum
    }

    /// This time plus or minus some seconds, limited to the years that can be represented.
    package func adding(seconds more: Int64) -> UTCTimestamp {
        let (sum, overflow) = seconds.addingReportingOverflow(more)
        return UTCTimestamp(seconds: overflow ? (more < 0 ? .min : .max) : sum, nanoseconds: nanoseconds)
    }
}

extension LocalProfile {
    /// A profile as stored under a number, with the name given to it locally.
    package init(_ profile: Profile, id: ProfileID, alias: String) {
        self.init(
            profileID: id, displayName: profile.displayName, fullName: profile.fullName,
            shortDescription: profile.shortDescription, image: profile.image, contactLink: profile.contactLink,
            preferences: profile.preferences, peerType: profile.peerType, localAlias: alias)
        localBadge = LocalBadge(of: profile)
        unknownMembers = profile.unknownMembers
    }
}

extension ConnectionStatus {
    /// The word in the column, and the error that goes with `failed`.
    package var stored: (status: String, error: String?) {
        if case .failed(let error) = self { return ("failed", error) }
        return (tag, nil)
    }

    package init(stored status: String, error: String?) {
        switch status {
        case "new": self = .new
        case "prepared": self = .prepared
        case "joined": self = .joined
        case "requested": self = .requested
        case "accepted": self = .accepted
        case "sndReady": self = .sendReady
        case "ready": self = .ready
        case "deleted": self = .deleted
        default: self = .failed(connectionError: error ?? status)
        }
    }
}

extension ProtocolIdentifier {
    /// The identifier of a column that may be null.
    package init?(stored bytes: Bytes?) {
        guard let bytes, !bytes.isEmpty else { return nil }
        self.init(bytes)
    }
}
