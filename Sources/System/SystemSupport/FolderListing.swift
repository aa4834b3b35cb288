#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The names in a folder: all of them, or an error. If a failure of the disk ended a listing early, files would count as missing.
package enum FolderListing {
    /// Lists the names without `.` and `..`, in no particular order.
    ///
    /// - Throws: ``SystemError``.
    package static func names(in folder: String) throws(SystemError) -> [String] {
        guard let directory = opendir(folder) else { throw SystemError() }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            // Only errno distinguishes the end from a failure.
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw SystemError() }
                return names
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}

extension WholeFile {
    /// Checks whether there is no file at a path. A file whose status the system cannot read now is not missing.
    package static func isMissing(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) != 0 else { return false }
        return errno == ENOENT || errno == ENOTDIR
    }
}
