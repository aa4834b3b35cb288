import ChatProtocol
import Foundation
import SMPWire
import Testing
import VectorSupport

/// What official clients have computed in recorded conversations, computed again.
@Suite struct RecordedConversationTests {
    /// Every object of every recorded line, with the user it belongs to.
    private static func objects(_ visit: (JSONObject, _ user: JSONObject?) throws -> Void) throws {
        let folder = Vectors.folder.appendingPathComponent("api")
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "jsonl" {
            for line in try Data(contentsOf: file).split(separator: 0x0A) {
                try walk(JSONValue(parsing: Bytes(line)), user: nil, visit)
            }
        }
    }

    private static func walk(_ value: JSONValue, user: JSONObject?, _ visit: (JSONObject, JSONObject?) throws -> Void) throws {
        switch value {
        case .array(let elements): for element in elements { try walk(element, user: user, visit) }
        case .object(let object):
            let user = object["user"]?.objectValue ?? user
            try visit(object, user)
            for (_, member) in object.members { try walk(member, user: user, visit) }
        default: break
        }
    }

    @Test func contactsAndUsersPreferencesAreMergedAsRecorded() throws {
        var seen: Set<[JSONValue]> = []
        try Self.objects { object, user in
            guard let merged = object["mergedPreferences"], let own = object["userPreferences"], let user else { return }
            let userPreferences = user["profile"]?["preferences"]
            let contact = object["profile"]?["preferences"]
            let isIncognito = object["activeConn"]?["customUserProfileId"] != nil
            guard seen.insert([merged, own, userPreferences ?? nil, contact ?? nil, .bool(isIncognito)]).inserted else { return }
            let computed = ContactUserPreferences(
                user: try userPreferences.map { try ChatPreferences(json: $0) }, userForContact: try ChatPreferences(json: own),
                contact: try contact.map { try ChatPreferences(json: $0) }, isIncognito: isIncognito)
            #expect(computed.json == merged)
        }
        #expect(seen.count > 20)
    }

    @Test func preferencesAreFilledInAsRecorded() throws {
        var users = 0
        var groups = 0
        try Self.objects { object, _ in
            if let full = object["fullPreferences"] {
                users += 1
                let preferences = try object["profile"]?["preferences"].map { try ChatPreferences(json: $0) }
                #expect(FullChatPreferences(preferences).json == full)
            }
            if let full = object["fullGroupPreferences"] {
                groups += 1
                let preferences = try object["groupProfile"]?["groupPreferences"].map { try GroupPreferences(json: $0) }
                #expect(try JSONValue(parsing: FullGroupPreferences(preferences).jsonBytes(for: .v65)) == full, "recorded with 6.5")
            }
        }
        #expect(users > 100 && groups > 100)
    }

    @Test func textsOfItemsAreFormattedAsRecorded() throws {
        var seen: Set<String> = []
        try Self.objects { object, _ in
            guard let content = object["content"]?["msgContent"], object["meta"] != nil, object["chatDir"] != nil else { return }
            let message = try MessageContent(json: content)
            #expect(message.json == content)
            guard seen.insert(message.text).inserted else { return }
            let recorded = object["formattedText"] ?? .null
            #expect(Markdown.parse(message.text)?.json ?? .null == recorded)
            if object["meta"]?["itemDeleted"] == nil {
                #expect(object["meta"]?["itemText"]?.stringValue == message.summary)
            }
        }
        #expect(seen.count > 50)
    }
}
