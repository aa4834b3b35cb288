/// A hook between SQLite and the disk, below the encryption, with which tests make the disk fail.
package protocol FileInterposer: AnyObject, Sendable {
    /// Checks whether the interposer handles a file. Files without a name have no interposer.
    func concerns(_ path: String) -> Bool
    /// Decides before a file is opened.
    ///
    /// - Returns: a result code of SQLite to refuse with; nil to allow it.
    func willOpen(_ path: String, _ kind: FileKind) -> CInt?
    /// Puts a layer over an opened file.
    func layer(over file: any FileLayer, _ path: String, _ kind: FileKind) -> any FileLayer
    /// Decides before a file is deleted; the deletion of a journal commits a transaction.
    func willDelete(_ path: String) -> CInt?
}
