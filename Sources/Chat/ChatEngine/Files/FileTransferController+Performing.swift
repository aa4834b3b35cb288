import ChatStore

extension FileTransferController {
    /// Performs a job about files.
    func perform(_ job: FileJob) async throws {
        switch job {
        case .upload(let file, let recipients): try await upload(file, recipients: recipients)
        case .uploadDescription(let file): try await uploadDescription(file)
        case .download(let file): try await download(file)
        case .reserveReceived(let file): try await reserve(file)
        case .keepReceived(let transfer, let path): try await keep(transfer, at: path)
        case .deleteUploaded(let file): try await deleteUploaded(file)
        }
    }
}
