package import SMPProtocol
package import XFTPProtocol

/// A failed test of a file router: the step and the reason.
package struct FileServerTestFailure: Error, Sendable, Hashable {
    /// The steps, in their order; the raw values are those of the chat API. The last one there, `disconnect`, cannot fail here.
    package enum Step: String, Sendable, Hashable, CaseIterable {
        /// A session with the router: its address, its certificate and a common version.
        case connect
        /// The announcement of a chunk, which may need the router's password.
        case createFile
        case uploadFile
        case downloadFile
        /// The comparison of the download with the upload.
        case compareFile
        case deleteFile
    }

    /// The reason of a failure.
    package enum Reason: Sendable, Hashable {
        /// The router has refused the request.
        case router(XFTPErrorType)
        /// The router cannot be reached, or its answer is invalid.
        case broker(BrokerErrorType)
        /// A failure on this machine, described for a person.
        case `internal`(String)
    }

    package let step: Step
    package let reason: Reason

    package init(step: Step, reason: Reason) {
        self.step = step
        self.reason = reason
    }
}
