internal import Foundation

/// Whose a router's folder is.
///
/// A service runs as a user of its own, and its operator is root. What root wrote into the service's folder the service could not read. So
/// who writes there as root becomes the folder's owner first, and for good: giving away the files afterwards would let that owner, by a link
/// in the folder, be given any file.
enum FolderOwner {
    /// Does nothing for who is not root, and where there is no folder yet.
    ///
    /// - Throws: ``Outcome/Failed`` `router.owner`.
    static func become(of folder: String) throws {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return }
        var group = status.st_gid
        guard setgroups(1, &group) == 0, setgid(group) == 0, setuid(status.st_uid) == 0 else {
            throw Outcome.Failed(
                "router.owner", description: "\(folder) belongs to user \(status.st_uid), as who this cannot act: \(String(cString: strerror(errno)))")
        }
    }
}
