internal import Foundation

/// The process that holds a lock of a file.
enum LockHolder {
    /// Returns the number of the process; nil if the system does not report it.
    static func process(of path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return process(ofFile: UInt64(status.st_ino), device: UInt64(status.st_dev), in: locks())
    }

    /// The maximum number of bytes read from the table of locks.
    private static let longestTable = 1 << 20

    /// Reads the table of locks, whose file has no size with which it could be read as a whole.
    private static func locks() -> String {
        let file = open("/proc/locks", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var table: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 16_384)
        while table.count < longestTable {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { break }
            table += buffer[..<count]
        }
        return String(decoding: table, as: UTF8.self)
    }

    /// - Parameter locks: the table, with lines such as `1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF`.
    static func process(ofFile inode: UInt64, device: UInt64, in locks: String) -> Int? {
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF, minor = device & 0xFF | (device >> 12) & ~0xFF
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let process = Int(words[4]), process > 0 else { continue }
            let file = words[5].split(separator: ":")
            guard file.count == 3, UInt64(file[2]) == inode, UInt64(file[0], radix: 16) == major, UInt64(file[1], radix: 16) == minor else { continue }
            return process
        }
        return nil
    }
}
