import Logging
import RouterSupport
import SMPProtocol
import SMPWire
import Synchronization
import XFTPProtocol

/// A command of an operator to a running file router: words on a line.
enum FileControlCommand: Sendable, Equatable {
    case statistics
    case compact
    /// Renews the certificate.
    case renew
    /// Describes the chunk with this id of a description.
    case status(EntityID)
    case block(EntityID, BlockingInfo)
    case delete(EntityID)

    /// - Throws: `badCommand` with the reason.
    init(parsing line: String) throws(ControlError) {
        var words = ControlWords(line)
        func id() throws(ControlError) -> EntityID { try words.id(of: "chunk", asIn: "descriptions") }
        let name = try words.command()
        switch name {
        case "stats": self = .statistics
        case "compact": self = .compact
        case "renew": self = .renew
        case "status": self = .status(try id())
        case "delete": self = .delete(try id())
        case "block": self = .block(try id(), try words.blockingInfo())
        default: throw ControlError("badCommand", "there is no command \"\(name)\"")
        }
        try words.end()
    }
}

// The operations for the operator.
extension FileRouter {
    func answer(_ line: String) async throws(ControlError) -> String {
        let command = try FileControlCommand(parsing: line)
        switch command {
        case .statistics, .status: break
        default: fileCore.note(line.split(separator: " ").first ?? "")
        }
        switch command {
        case .statistics: return statistics.json
        case .compact:
            let before = statistics.journalBytes
            do throws(RouterError) { try await compact() } catch { throw ControlError(error.code.rawValue, error.message) }
            return JSONText.line([("journalBytesBefore", .number(before)), ("journalBytes", .number(statistics.journalBytes))])
        case .renew:
            do throws(RouterError) { try renewCertificate() } catch { throw ControlError(error.code.rawValue, error.message) }
            return JSONText.line([("certificateLifetime", .number(statistics.certificateLifetime ?? 0))])
        case .status(let id):
            guard let (_, file) = fileCore.find(id) else { throw Self.noFile }
            return JSONText.line(file.members)
        case .block(let id, let info):
            do throws(XFTPErrorType) { try await fileCore.block(try known(id), info) } catch { throw await failure(error) }
            return JSONText.line([("blocked", .flag(true))])
        case .delete(let id):
            do throws(XFTPErrorType) { _ = try await fileCore.delete(try known(id)) } catch { throw await failure(error) }
            return JSONText.line([("deleted", .flag(true))])
        }
    }

    private static let noFile = ControlError("noFile", "there is no chunk with this id: take an id from a description, of a sender or a recipient")

    /// Finds the sender id of a chunk.
    private func known(_ id: EntityID) throws(XFTPErrorType) -> EntityID {
        guard let (fileID, _) = fileCore.find(id) else { throw .auth }
        return fileID
    }

    /// Converts an error. The answer that there is no chunk may depend on a deletion that still waits for the disk.
    private func failure(_ error: XFTPErrorType) async -> ControlError {
        await fileCore.settled(error) == .auth ? Self.noFile : ControlError("storage", "the disk refuses writes")
    }
}

extension FileCore {
    func note(_ command: some StringProtocol) { logger.notice("the operator has sent a command", metadata: ["command": "\(command)"]) }

    /// Finds a chunk by the id of its sender or of a recipient.
    func find(_ id: EntityID) -> (EntityID, StoredFile)? {
        shared.withLock { shared in
            if let file = shared.store.file(sender: id) { return (id, file) }
            return shared.store.file(recipient: id).map { ($0.id, $0.file) }
        }
    }
}

extension StoredFile {
    fileprivate var members: [(String, JSONText.Value)] {
        var members: [(String, JSONText.Value)] = []
        if let blocked {
            members += [("status", .text("blocked")), ("reason", .text(blocked.reason.rawValue))]
        } else {
            members.append(("status", .text(isUploaded ? "uploaded" : "announced")))
        }
        return members + [("bytes", .number(Int64(info.size))), ("recipients", .number(recipients.count)), ("created", .text(UnixTime.text(created)))]
    }
}
