internal import Foundation

/// Whose a data folder or a router's folder is.
///
/// A service runs as a user of its own, and its operator is root. What root wrote into the service's folder the service could not read. So
/// who writes there as root permanently becomes the folder's owner first: giving away the files afterwards would let that owner, by a link
/// in the folder, be given any file.
enum FolderOwner {
    /// The owner that ``become(of:)`` would make of this process: nil for who is not root, and where there is no folder yet.
    private static func ownerToBecome(of folder: String) -> stat? {
        var status = stat()
        return geteuid() == 0 && stat(folder, &status) == 0 && status.st_uid != 0 ? status : nil
    }

    /// Checks whether this process is to become somebody else, who may not be able to read what it can read now.
    static func isSomebodyElse(_ folder: String) -> Bool { ownerToBecome(of: folder) != nil }

    /// Does nothing for who is not root, and where there is no folder yet.
    ///
    /// - Throws: ``Outcome/Failed`` `folder.owner`.
    static func become(of folder: String) throws {
        guard let status = ownerToBecome(of: folder) else { return }
        var group = status.st_gid
        guard setgroups(1, &group) == 0, setgid(group) == 0, setuid(status.st_uid) == 0 else {
            throw Outcome.Failed(
                "folder.owner", description: "\(folder) belongs to user \(status.st_uid), as who this cannot act: \(String(cString: strerror(errno)))")
        }
    }
}
