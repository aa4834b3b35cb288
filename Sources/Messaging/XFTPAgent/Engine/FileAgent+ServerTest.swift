import NIOPosix
import SMPCrypto
package import SMPProtocol
import SMPWire
import XFTPClient
import XFTPProtocol

extension FileAgent {
    /// Tests whether files can be exchanged over a router: connects, uploads a chunk of 64 KiB, downloads, compares and deletes it. Stores nothing.
    ///
    /// - Throws: ``FileServerTestFailure``.
    package func testServer(_ server: XFTPServerWithAuth, user: Int64) async throws(FileServerTestFailure) {
        let session = try await step(.connect) { [sessions] () async throws(XFTPClientError) in
            // A new session: an existing one would not show whether the address is right.
            try await sessions.connect(.init(user: user, server: server.server))
        }
        do throws(FileServerTestFailure) {
            try await exchangeChunk(session, server.basicAuth)
        } catch {
            await session.close()
            throw error
        }
        await session.close()
    }

    private func exchangeChunk(_ session: XFTPSession, _ basicAuth: BasicAuth?) async throws(FileServerTestFailure) {
        let id = FileTransferID(random.bytes(16))
        defer { removeFiles(id) }
        let content = random.bytes(Int(ChunkPlan.sizes[0]))
        let size = ChunkPlan.sizes[0]
        let (sent, received) = (folder.encrypted(id), folder.chunk(1, of: id, isRedirected: false))
        let digest = Hash.sha256(content)
        let source = try await step(.createFile) { [folder] () async throws(XFTPClientError) in
            do throws(FileFormatError) {
                try folder.make()
                try folder.make(for: id)
                try LocalFile(sent).write(content)
                return try ChunkSource(path: sent, size: size)
            } catch {
                throw XFTPClientError(.file(error.code), error.message)
            }
        }
        let (key, recipientKey) = (newKey(), newKey())
        let (sender, recipients) = try await step(.createFile) { () async throws(XFTPClientError) in
            try await session.create(key: key, size: size, digest: digest, recipients: [recipientKey.publicKey], basicAuth: basicAuth)
        }
        try await step(.uploadFile) { () async throws(XFTPClientError) in try await session.upload(source, to: sender, key: key) }
        try await step(.downloadFile) { () async throws(XFTPClientError) in
            guard let recipient = recipients.first else { throw XFTPClientError(.unexpectedResponse("SIDS"), "the router names no recipient") }
            try await session.download(recipient, key: recipientKey, to: received, size: size, digest: digest)
        }
        guard (try? LocalFile(received).contents(upTo: content.count)) == content else {
            throw FileServerTestFailure(step: .compareFile, reason: .router(.digest))
        }
        try await step(.deleteFile) { () async throws(XFTPClientError) in try await session.delete(sender, key: key) }
    }

    private func step<Value: Sendable>(
        _ step: FileServerTestFailure.Step, _ body: () async throws(XFTPClientError) -> Value
    ) async throws(FileServerTestFailure) -> Value {
        do {
            return try await body()
        } catch {
            // A wrong digest of the answer means that the download differs from the upload.
            let isDifferent = error.code == .response(.digest)
            throw FileServerTestFailure(step: isDifferent ? .compareFile : step, reason: error.reason)
        }
    }
}

extension XFTPClientError {
    fileprivate var reason: FileServerTestFailure.Reason {
        switch code {
        case .protocol(let error): .router(error)
        case .response(.digest): .router(.digest)
        case .response(let error): .broker(.response(error.wireString))
        case .unexpectedResponse(let name): .broker(.unexpected(name))
        case .timeout: .broker(.timeout)
        case .network(let error): .broker(.network(error))
        case .transport(let error): .broker(.transport(error))
        case .incompatibleHost, .visibleAddress: .broker(.host)
        case .crypto, .file, .invalidRequest, .cancelled: .internal(message)
        }
    }
}
