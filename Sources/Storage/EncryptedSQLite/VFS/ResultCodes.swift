internal import GRDBSQLite

// SQLite's extended result codes, whose macros Swift does not import.

let SQLITE_IOERR_READ_CODE = SQLITE_IOERR | (1 << 8)
let SQLITE_IOERR_SHORT_READ_CODE = SQLITE_IOERR | (2 << 8)
let SQLITE_IOERR_WRITE_CODE = SQLITE_IOERR | (3 << 8)
let SQLITE_IOERR_DELETE_CODE = SQLITE_IOERR | (10 << 8)
/// The data read differs from the data written.
let SQLITE_IOERR_DATA_CODE = SQLITE_IOERR | (32 << 8)
/// Another connection holds a lock, and waiting is useless: for a plain `SQLITE_BUSY`, SQLite itself would wait ten seconds here.
let SQLITE_BUSY_TIMEOUT_CODE = SQLITE_BUSY | (3 << 8)
