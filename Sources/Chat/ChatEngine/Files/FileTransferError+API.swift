import ChatAPI
import ChatProtocol
import ChatRules
import SMPClient
import SMPProtocol
import XFTPAgent
import XFTPProtocol

// Errors of transfers as the API names them.

extension FileTransferError {
    /// The reason as an item shows it.
    var fileError: FileError {
        switch code {
        case .noFile: .noFile
        case .router:
            switch router {
            case .auth?: .auth
            case .blocked?: .blocked(server: servers.first ?? "", blockInfo: BlockingDetails(reason: .content))
            default: .unexpected(message: description)
            }
        case .network: .relay(serverError: .unexpected(message: message))
        default: .unexpected(message: description)
        }
    }

    /// The reason as an error of the agent.
    var messagingError: MessagingError {
        switch code {
        case .notApproved: .file(error: .notApproved)
        case .size: .file(error: .size)
        case .redirect: .file(error: .redirect(message: message))
        case .file: .file(error: .inputOutput(message: message))
        case .noFile: .file(error: .noFile)
        case .router: .xftp(server: servers.first ?? "", error: router?.api ?? .internal)
        case .network: .broker(server: servers.first ?? "", error: .timeout)
        case .noServers, .unknownTransfer, .storage: .internal(message: description)
        }
    }
}

extension FileServerTestFailure.Reason {
    /// The reason as an error of the agent.
    func messagingError(server: String) -> MessagingError {
        switch self {
        case .router(let error): .xftp(server: server, error: error.api)
        case .broker(let error): .broker(server: server, error: error.api)
        case .internal(let message): .internal(message: message)
        }
    }
}

extension XFTPErrorType {
    /// The error as the API names it.
    var api: FileRouterError {
        switch self {
        case .block: .block
        case .session: .session
        case .handshake: .handshake
        case .auth: .auth
        case .size: .size
        case .quota: .quota
        case .digest: .digest
        case .crypto: .crypto
        case .noFile: .noFile
        case .hasFile: .hasFile
        case .timeout: .timeout
        default: .internal
        }
    }
}
