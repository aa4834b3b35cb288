package import SMPClient
import SMPProtocol
package import SMPTransport
package import SMPWire
import XFTPProtocol

/// The settings of a client of file routers. The defaults are those of the official clients.
package struct XFTPClientConfiguration: Sendable {
    /// Versions of the protocol to offer.
    package var versions: VersionRange = XFTPVersion.offered
    /// The transport settings, with the time limits of responses.
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
