import ChatRules
import EncryptedSQLite
import GRDB

@testable import ChatEngine

/// What a person sees of a store: profiles, contacts, members, groups, items. A row is a fact with an identity, so that a change names what was changed.
struct StoreFacts: Sendable {
    struct Key: Hashable, Sendable {
        var table: Table
        var id: String
    }

    /// A row before and after; nil where there is none.
    struct Change: Sendable {
        var key: Key
        var before: [String: String]?
        var after: [String: String]?

        /// The columns whose values differ.
        var columns: [String] { Set((before ?? [:]).keys).union((after ?? [:]).keys).filter { before?[$0] != after?[$0] }.sorted() }

        func value(_ column: String) -> String? { before?[column] ?? after?[column] }
    }

    enum Table: String, CaseIterable, Sendable {
        case member, contact, connection, group, item, reaction, groupReaction, file, moderation, roster, relay
        /// Tables that no peer may change at all.
        case own

        fileprivate var queries: [String] {
            switch self {
            case .member:
                [
                    """
                    SELECT m.group_member_id id, m.group_id, hex(m.member_id) member_id, m.role, m.category, m.status, m.show_messages, m.blocked,
                        m.contact_id, p.profile_json profile, p.local_alias alias, hex(m.public_key) key, m.relay_link
                    FROM group_members m JOIN profiles p ON p.profile_id = coalesce(m.incognito_profile_id, m.profile_id)
                    """
                ]
            case .contact:
                [
                    """
                    SELECT c.contact_id id, c.contact_status status, p.profile_json profile, p.local_alias alias, c.user_preferences_json preferences,
                        c.is_user, c.group_member_id, c.enable_notifications, c.item_ttl
                    FROM contacts c JOIN profiles p USING (profile_id)
                    """
                ]
            case .connection:
                ["SELECT hex(agent_connection_id) id, kind, status, contact_id, group_member_id, incognito_profile_id, security_code FROM connections"]
            case .group:
                [
                    """
                    SELECT group_id id, profile_json profile, local_alias alias, business_kind, hex(business_member_id) business,
                        hex(customer_member_id) customer, via_link, use_relays, relay_own_status, hex(root_private_key) root,
                        hex(root_public_key) root_public, hex(member_private_key) key, enable_notifications, item_ttl,
                        roster_version, roster_complete_version FROM groups
                    """
                ]
            case .item:
                [
                    """
                    SELECT chat_item_id id, contact_id, note_folder_id, group_id, group_member_id, sent, content_kind, content_json content, item_text text,
                        deleted, deleted_by, edited, hex(shared_msg_id) shared, scope, scope_member_id, parent_item_id, as_group, forwarded_by,
                        comments_disabled, quoted_content_json quoted, signature FROM chat_items
                    """
                ]
            case .reaction: ["SELECT contact_id || '/' || hex(shared_msg_id) || by_user || reaction_json id, contact_id, by_user FROM reactions"]
            case .groupReaction:
                [
                    """
                    SELECT group_id || '/' || hex(shared_msg_id) || hex(author_member_id) || '/' || group_member_id || reaction_json id, group_member_id,
                        by_user, hex(shared_msg_id) shared, hex(author_member_id) author FROM group_reactions
                    """
                ]
            case .file:
                [
                    """
                    SELECT f.file_id id, f.chat_item_id, f.file_name, f.file_size, f.status_json, f.description, i.group_member_id, i.contact_id, i.sent
                    FROM files f JOIN chat_items i USING (chat_item_id)
                    """
                ]
            case .moderation:
                [
                    "SELECT hex(author_member_id) || hex(shared_msg_id) id, hex(author_member_id) author, hex(shared_msg_id) shared, moderator_id FROM item_moderations"
                ]
            case .roster:
                ["SELECT group_id id, version, hex(author_id) author, hex(element) element, hex(list) list FROM stored_rosters"]
            case .relay:
                ["SELECT group_relay_id id, group_id, group_member_id, relay_json, status, relay_link, capabilities_json capabilities FROM group_relays"]
            case .own:
                ["users", "settings", "user_addresses", "group_links", "chat_tags", "contact_tags", "group_tags", "user_servers", "user_chat_relays"].map {
                    "SELECT '\($0)' || rowid id, * FROM (SELECT row_number() OVER () rowid, * FROM \($0))"
                }
            }
        }
    }

    private(set) var rows: [Key: [String: String]] = [:]

    init(_ db: Database, tables: [Table] = Table.allCases) throws {
        for table in tables {
            for query in table.queries {
                for row in try Row.fetchAll(db, sql: query) {
                    var values: [String: String] = [:]
                    for (column, value) in row where !value.isNull && column != "updated_at" { values[column] = "\(value)".trimmingQuotes }
                    rows[Key(table: table, id: values["id"] ?? "")] = values
                }
            }
        }
    }

    subscript(_ table: Table, _ id: String?) -> [String: String]? { id.flatMap { rows[Key(table: table, id: $0)] } }

    /// The rows of a table.
    func all(_ table: Table) -> [[String: String]] { rows.filter { $0.key.table == table }.map(\.value) }

    /// What was added, changed or removed.
    func changes(since before: StoreFacts) -> [Change] {
        let changed = rows.filter { before.rows[$0.key] != $0.value }.map { Change(key: $0.key, before: before.rows[$0.key], after: $0.value) }
        return changed + before.rows.filter { rows[$0.key] == nil }.map { Change(key: $0.key, before: $0.value, after: nil) }
    }
}

extension String {
    /// The text without the quotation marks that a value of the database is described with.
    fileprivate var trimmingQuotes: String { count >= 2 && first == "\"" && last == "\"" ? String(dropFirst().dropLast()) : self }
}
