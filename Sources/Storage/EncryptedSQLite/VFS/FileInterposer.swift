/// Stands between SQLite and the disk, beneath the encryption: tests make the disk fail with one.
package protocol FileInterposer: AnyObject, Sendable {
    /// Checks whether it has anything to do with a file. Files without a name belong to nobody.
    func concerns(_ path: String) -> Bool
    /// Told before a file is opened.
    ///
    /// - Returns: a result code of SQLite to refuse with; nil to let it happen.
    func willOpen(_ path: String, _ kind: FileKind) -> CInt?
    /// Puts a layer over an opened file.
    func layer(over file: any FileLayer, _ path: String, _ kind: FileKind) -> any FileLayer
    /// Told before a file is deleted; a journal's deletion commits a transaction.
    func willDelete(_ path: String) -> CInt?
}
