public import ChatProtocol

/// Why a database cannot be opened or changed.
public enum DatabaseError: JSONTagged, Hashable {
    /// It is encrypted.
    case encrypted
    /// It is not encrypted.
    case plaintext
    /// There is no file.
    case noFile(file: String)
    /// It could not be written anew.
    case export(error: SQLiteError)
    /// It could not be opened.
    case open(error: SQLiteError)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension DatabaseError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "errorEncrypted": self = .encrypted
        case "errorPlaintext": self = .plaintext
        case "errorNoFile": self = .noFile(file: try object.required("dbFile"))
        case "errorExport": self = .export(error: try object.required("sqliteError"))
        case "errorOpen": self = .open(error: try object.required("sqliteError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .encrypted: object.write("errorEncrypted")
        case .plaintext: object.write("errorPlaintext")
        case .noFile(let file): object.write("errorNoFile", ["dbFile": file])
        case .export(let error): object.write("errorExport", ["sqliteError": error])
        case .open(let error): object.write("errorOpen", ["sqliteError": error])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What SQLite says.
public enum SQLiteError: JSONTagged, Hashable {
    /// The file is no database, or the key is wrong.
    case notADatabase
    /// Anything else.
    case failure(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension SQLiteError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "errorNotADatabase": self = .notADatabase
        case "error": self = .failure(message: try object.required("dbError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .notADatabase: object.write("errorNotADatabase")
        case .failure(let message): object.write("error", ["dbError": message])
        case .other(_, let json): object.replace(with: json)
        }
    }
}
