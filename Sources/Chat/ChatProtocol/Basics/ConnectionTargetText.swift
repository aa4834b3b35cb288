internal import SMPProtocol
internal import SMPWire

/// Texts by which a profile can connect.
package enum ConnectionTargetText {
    /// A kind of text by which a profile can connect.
    package enum Kind: Sendable, Hashable {
        /// A link of any kind but that of a relay.
        case link
        /// A name, such as `@ann.simplex`, `#news.simplex` or `news.simplex`.
        case name
    }

    /// The kind of a text; nil for one by which nobody connects.
    package static func kind(of text: String) -> Kind? {
        if text.hasPrefix("@") || text.hasPrefix("#") || text.hasPrefix("simplex:/name") {
            return (try? SimpleXName(wireString: text)) == nil ? nil : .name
        }
        switch try? ConnectionLink(wireString: text) {
        case .short(.contact(_, .relay, _, _)): return nil
        case .short, .full: return .link
        case nil: return (try? SimpleXDomain(wireString: text)) == nil ? nil : .name
        }
    }
}
