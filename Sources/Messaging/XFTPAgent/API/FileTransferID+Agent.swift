import SMPAgent
package import XFTPProtocol

extension FileTransferID: AgentIdentifier {}
