internal import Foundation
internal import SystemSupport

/// The port of a router inside the process, kept in the router's folder, because every published address contains it.
///
/// A file without a valid port is never overwritten: another port would invalidate all addresses.
struct KeptPort {
    private static let fileName = "port"
    /// The maximum size of the file in bytes, above that of a port and a line end.
    private static let maximumSize = 16

    private let folder: String
    /// The port; nil if none was kept.
    let port: UInt16?

    private var file: String { folder + "/" + Self.fileName }

    /// Reads the port.
    ///
    /// - Throws: ``HostError`` `folderPartUnreadable`, `folderPartEmpty` or `folderPartDamaged`.
    init(folder: String) throws(HostError) {
        self.folder = folder
        let path = folder + "/" + Self.fileName
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try WholeFile.contents(ofFile: path, upTo: Self.maximumSize)
        } catch {
            guard error.isMissingFile else {
                throw HostError(
                    .folderPartUnreadable, "the port of the router cannot be read from \(path): \(error). It is part of every address that was given out")
            }
            port = nil
            return
        }
        guard let port = Self.port(bytes) else {
            throw HostError(
                bytes.isEmpty ? .folderPartEmpty : .folderPartDamaged,
                "\(path) does not hold a port, and the port is part of every address that was given out: restore the file from a backup, or write the port of an address and a line end into it"
            )
        }
        self.port = port
    }

    /// Reads a port; nil for anything but a number from 1 to 65535 and a line end. Without a line end, a part of the number may be missing.
    private static func port(_ bytes: [UInt8]) -> UInt16? {
        guard bytes.last == UInt8(ascii: "\n") else { return nil }
        let digits = bytes.dropLast()
        guard !digits.isEmpty, digits.count <= 5, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        guard let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0 else { return nil }
        return port
    }

    /// Refuses a router that has run before and whose port is unknown.
    ///
    /// - Throws: ``HostError`` `folderPartMissing`.
    func requireNewRouter(option: String) throws(HostError) {
        // The certificate is created after the port is kept.
        guard FileManager.default.fileExists(atPath: folder + "/ca.crt") else { return }
        throw HostError(
            .folderPartMissing,
            "\(file) is missing, and the port in it is part of every address that was given out: restore it from a backup, or name the port of an address with \(option)"
        )
    }

    /// Keeps a port. It is on disk when this returns.
    func keep(_ port: UInt16) throws(HostError) {
        do throws(SystemError) {
            try WholeFile.replace(file, with: Array("\(port)\n".utf8))
        } catch {
            throw HostError(.router, "the port of the router cannot be kept in \(file): \(error)")
        }
    }
}
