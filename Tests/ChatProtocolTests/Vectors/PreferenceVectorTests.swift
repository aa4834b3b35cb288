import ChatProtocol
import Testing
import VectorSupport

@Suite struct PreferenceVectorTests {
    @Test(arguments: try Vectors.cases("chat_messages", kinds: "preferences"))
    func preferencesAreReadAndFilledInAsRecorded(item: VectorCase) throws {
        let input = try item.text("input")
        var preferences = try ChatPreferences(parsing: input)
        guard item["parsed"] != .bool(false) else {
            // Official clients refuse a word that they do not know. It is kept here, and allows nothing.
            #expect(try preferences.json == JSONValue(parsing: input))
            #expect(!ChatFeature.allCases.contains { preferences[$0]?.allow.isAllowed == true })
            return
        }
        // Official clients drop the preferences that they do not know.
        #expect(try preferences.unknownMembers.isEmpty || preferences.json == JSONValue(parsing: input))
        preferences.unknownMembers = JSONObject()
        #expect(preferences.json == item["parsed"].json)
        let full = FullChatPreferences(preferences)
        #expect(try JSONValue(parsing: full.jsonBytes(for: .v65)) == item["full"].json)
        #expect(try FullChatPreferences(json: full.json) == full)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "group-preferences"))
    func groupPreferencesAreReadAndFilledInAsRecorded(item: VectorCase) throws {
        let input = try item.text("input")
        let preferences = try GroupPreferences(parsing: input)
        guard item["parsed"] != .bool(false) else {
            #expect(try preferences.json == JSONValue(parsing: input))
            let full = FullGroupPreferences(preferences)
            #expect(!GroupFeature.allCases.contains { preferences.json[$0.code] != nil && full.allows($0, role: .owner) })
            return
        }
        #expect(preferences.json == item["parsed"].json)
        let full = FullGroupPreferences(preferences)
        #expect(try JSONValue(parsing: full.jsonBytes(for: .v65)) == item["full"].json)
        #expect(try FullGroupPreferences(json: full.json) == full)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "preference-enabled"))
    func featuresAreEnabledForEachSideAsRecorded(item: VectorCase) throws {
        let user = try #require(FeatureAllowed(known: try item.text("user")))
        let contact = try #require(FeatureAllowed(known: try item.text("contact")))
        for (name, isAsymmetric) in [("asymmetric", true), ("symmetric", false)] {
            let enabled = PreferenceEnabled(user: user, contact: contact, isAsymmetric: isAsymmetric)
            #expect(enabled.json == item[name].json)
        }
    }
}
