package import SMPClient
import SMPProtocol
package import SMPTransport
package import SMPWire
import XFTPProtocol

/// How a client connects to file routers and talks to them. The defaults are those of the official clients.
package struct XFTPClientConfiguration: Sendable {
    /// Versions of the protocol to offer.
    package var versions: VersionRange = XFTPVersion.offered
    /// How routers are reached, and how long answers may take.
    package var network = NetworkConfiguration()
    /// The port of routers whose address names none.
    package var defaultPort: UInt16 = 443
    /// The TLS connections.
    package var transport: SMPTransportClient.Configuration

    package init() {
        transport = SMPTransportClient.Configuration()
        transport.applicationProtocols = ["xftp/1"]
    }
}
