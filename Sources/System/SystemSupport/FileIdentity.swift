internal import CFileStatus

/// The numbers by which a file system distinguishes files: a copy of a file has other numbers, and renaming keeps them.
///
/// The device number is not included: it may change whenever the system starts.
package struct FileIdentity: Sendable, Hashable, Codable {
    /// The number that shows that two files are not the same one.
    package enum Difference: Sendable, Hashable {
        /// The time of birth, which only the creation of a file sets.
        case birth
        /// The number of the inode only, because the time of birth is unknown. Some file systems change the number each time they are mounted.
        case inode
    }

    /// The number of the inode.
    package let inode: UInt64
    /// The time at which the file was created, in nanoseconds since 1970; nil if the file system does not store it.
    package let birth: Int64?

    package init(inode: UInt64, birth: Int64?) { (self.inode, self.birth) = (inode, birth) }

    /// Reads the identity of the file at a path.
    ///
    /// - Returns: nil if there is no file, or the system does not report it.
    package init?(path: String) {
        var status = parley_file_status()
        guard parley_file_status(path, &status) == 0 else { return nil }
        self.init(
            inode: status.inode, birth: status.has_birth != 0 ? Self.nanoseconds(status.birth_seconds, Int64(status.birth_nanoseconds)) : nil)
    }

    private static func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64? {
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isMore) = whole.addingReportingOverflow(rest)
        return isTooMuch || isMore ? nil : sum
    }

    /// Finds the difference from another identity; nil if both are of the same file.
    ///
    /// The time of birth decides if both are known, because the number of an inode is reused after its file is deleted.
    package func difference(from other: FileIdentity) -> Difference? {
        if let birth, let its = other.birth { return birth == its ? nil : .birth }
        return inode == other.inode ? nil : .inode
    }
}
