/// A SOCKS5 proxy (RFC 1928) through which servers are reached, such as Tor's. Names are resolved by the proxy.
package struct SOCKSProxy: Sendable, Hashable {
    /// The credentials of clients at the proxy (RFC 1929).
    package enum Authentication: Sendable, Hashable {
        /// Not at all.
        case none
        /// With the same name and password always, each of 1 to 255 bytes.
        case password(user: String, password: String)
        /// With a name made of what the connection is for, so that a proxy like Tor keeps connections for different purposes
        /// apart.
        case isolating
    }

    package var host: String
    package var port: Int
    package var authentication: Authentication

    package init(host: String = "127.0.0.1", port: Int = 9050, authentication: Authentication = .isolating) {
        self.host = host
        self.port = port
        self.authentication = authentication
    }
}
