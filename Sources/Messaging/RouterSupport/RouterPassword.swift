import SMPCrypto
package import SMPProtocol
import SMPWire
import SystemSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The password of a router that nobody configures: generated once, and stored in a file of its folder that only the owner can read.
package enum RouterPassword {
    package static let fileName = "password"
    /// Random bytes in a password.
    private static let strength = 18
    private static let maximumSize = 1_024

    /// Reads the password in the router's folder. Creates the folder and a password if necessary.
    ///
    /// - Throws: ``RouterError``: `storage` if it cannot be read or stored, `invalidConfiguration` if the file holds anything else.
    package static func loadOrMake(in folder: String) throws(RouterError) -> BasicAuth {
        let path = folder + "/" + fileName
        let bytes: Bytes
        do throws(SystemError) {
            bytes = try WholeFile.contents(ofFile: path, upTo: maximumSize)
        } catch {
            guard error.number == ENOENT else { throw RouterError(.storage, "the router's password cannot be read from \(path)", cause: error) }
            return try make(path, in: folder)
        }
        let line = Bytes(bytes.prefix { $0 > 0x20 })
        guard !line.isEmpty, bytes[line.count...].allSatisfy({ $0 <= 0x20 }), let password = BasicAuth(line) else {
            throw RouterError(
                .invalidConfiguration,
                "\(path) does not hold a password: one line of printable characters without spaces, @, : and /. Remove it to get a new password")
        }
        return password
    }

    private static func make(_ path: String, in folder: String) throws(RouterError) -> BasicAuth {
        let text = Bytes(Base64URL.encode(SystemRandomSource().bytes(strength), padded: false).utf8)
        guard let password = BasicAuth(text) else { throw RouterError(.storage, "cannot generate a password for the router") }
        do throws(SystemError) {
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SystemError() }
            try WholeFile.replace(path, with: text + [UInt8(ascii: "\n")])
        } catch {
            throw RouterError(.storage, "the router's password cannot be stored in \(path)", cause: error)
        }
        return password
    }
}
