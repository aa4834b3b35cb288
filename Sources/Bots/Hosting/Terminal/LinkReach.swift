internal import Foundation

/// The people who can use a link.
package enum LinkReach {
    /// The sentence under links that no phone can use.
    package static let notice =
        "Only this machine reaches these links: their router is on this machine. For phones, use --operators preset --accept-conditions, or --server with a public router."

    /// The same sentence for a program without these options.
    package static let programNotice =
        "Only this machine reaches these links: their router is on this machine. For phones, set HostConfiguration.network, or PARLEY_SERVER to a public router."

    /// Checks whether a link leads only to routers of the machine itself, so that nobody else can use it.
    package static func isLocal(_ link: String) -> Bool {
        let hosts = hosts(in: link)
        return !hosts.isEmpty && hosts.allSatisfy(isLoopback)
    }

    /// Returns the hosts in a link: a short link's own host and those of `h`, or the hosts of a long link's routers.
    private static func hosts(in link: String) -> [String] {
        let text = link.removingPercentEncoding ?? link
        var hosts = text.matches(of: /(?:smp|xftp):\/\/[A-Za-z0-9_=-]+(?::[^@\/]*)?@([^\/?#]+)/).flatMap { $0.1.split(separator: ",").map(host) }
        guard hosts.isEmpty else { return hosts }
        if let names = text.firstMatch(of: /[?&]h=([^&]+)/) { hosts += names.1.split(separator: ",").map(host) }
        if hosts.isEmpty, let own = text.firstMatch(of: /^https:\/\/([^\/?#]+)\//) { hosts.append(host(own.1)) }
        return hosts
    }

    /// Returns a host without its port.
    private static func host(_ text: Substring) -> String {
        if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
        return String(text.prefix { $0 != ":" })
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasSuffix(".localhost") || host.wholeMatch(of: /127(\.\d{1,3}){3}/) != nil
    }
}
