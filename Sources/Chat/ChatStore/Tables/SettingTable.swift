import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import SystemSupport

/// Settings of the program.
package struct SettingTable {
    let db: Database

    // MARK: Settings

    package func value(_ name: String) throws -> JSONValue? {
        try db.first("SELECT value_json FROM settings WHERE name = ?", [name]) { try JSONValue(parsing: $0.text()) }
    }

    package func set(_ value: JSONValue, setting name: String) throws {
        try db.run(
            "INSERT INTO settings (name, value_json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value_json = excluded.value_json",
            [name, value.text])
    }

    /// True unless the profile's owner has turned the merging of contacts off.
    package func mergesContacts() throws -> Bool {
        try db.first("SELECT value_json FROM settings WHERE name = 'mergesContacts'") { $0.text() } != "false"
    }

    package func setMergesContacts(_ merges: Bool) throws {
        try db.run("INSERT OR REPLACE INTO settings (name, value_json) VALUES ('mergesContacts', ?)", [merges ? "true" : "false"])
    }
}
