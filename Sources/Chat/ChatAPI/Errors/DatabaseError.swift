public import ChatProtocol

/// Why a database cannot be opened or changed.
@JSONForms
public enum DatabaseError: JSONTagged, Hashable {
    /// It is encrypted.
    @JSONName("errorEncrypted") case encrypted
    /// It is not encrypted.
    @JSONName("errorPlaintext") case plaintext
    /// There is no file.
    @JSONName("errorNoFile", ["file": "dbFile"])
    case noFile(file: String)
    /// It could not be written anew.
    @JSONName("errorExport", ["error": "sqliteError"])
    case export(error: SQLiteError)
    /// It could not be opened.
    @JSONName("errorOpen", ["error": "sqliteError"])
    case open(error: SQLiteError)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// An error of SQLite.
@JSONForms
public enum SQLiteError: JSONTagged, Hashable {
    /// The file is no database, or the key is wrong.
    @JSONName("errorNotADatabase") case notADatabase
    /// Anything else.
    @JSONName("error", ["message": "dbError"])
    case failure(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
