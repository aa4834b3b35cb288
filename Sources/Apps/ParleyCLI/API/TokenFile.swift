internal import ChatSocket
internal import Foundation
internal import SystemSupport

/// The file with the token of the API.
enum TokenFile {
    /// Bytes that are read at most: a token with the line end behind it, and one more.
    private static let limit = 1027

    /// Reads a token. A line end after it is no part of it.
    ///
    /// - Throws: `token.file` for what cannot be read or can be changed by others, `token` for what is no token.
    static func read(_ path: String) throws(Outcome.BadInput) -> SocketToken {
        var status = stat()
        guard stat(path, &status) == 0 else { throw unreadable(path, String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw unreadable(path, "it is not a file") }
        // Secrets that container engines mount can often be read by all. Who can change the token, however, can let themselves in.
        guard status.st_mode & 0o022 == 0 else {
            throw Outcome.BadInput(
                "token.file", description: "--token-file \(path): other users can change it. Keep it to yourself: chmod 600 \(path)")
        }
        if status.st_mode & 0o044 != 0 {
            Output.warning("warning: other users of this machine can read the token in \(path). If it is no mounted secret: chmod 600 \(path)")
        }
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try WholeFile.contents(ofFile: path, upTo: limit)
        } catch {
            throw unreadable(path, error.description)
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        do throws(SocketToken.Fault) {
            return try SocketToken(bytes)
        } catch {
            throw Outcome.BadInput("token", description: "--token-file \(path): \(error)")
        }
    }

    private static func unreadable(_ path: String, _ reason: String) -> Outcome.BadInput {
        Outcome.BadInput("token.file", description: "--token-file \(path): cannot read it: \(reason)")
    }
}
