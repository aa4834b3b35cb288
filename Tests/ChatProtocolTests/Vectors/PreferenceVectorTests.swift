import ChatProtocol
import Testing
import VectorSupport

@Suite struct PreferenceVectorTests {
    @Test(arguments: try Vectors.cases("chat_messages", kinds: "preferences"))
    func preferencesAreReadAndFilledInAsRecorded(item: VectorCase) throws {
        let input = try item.text("input")
        guard item["parsed"] != .bool(false) else {
            #expect(throws: JSONError.self) { try ChatPreferences(parsing: input) }
            return
        }
        let preferences = try ChatPreferences(parsing: input)
        #expect(preferences.json == item["parsed"].json)
        let full = FullChatPreferences(preferences)
        #expect(full.json == item["full"].json)
        #expect(try FullChatPreferences(json: full.json) == full)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "group-preferences"))
    func groupPreferencesAreReadAndFilledInAsRecorded(item: VectorCase) throws {
        let input = try item.text("input")
        guard item["parsed"] != .bool(false) else {
            #expect(throws: JSONError.self) { try GroupPreferences(parsing: input) }
            return
        }
        let preferences = try GroupPreferences(parsing: input)
        #expect(preferences.json == item["parsed"].json)
        let full = FullGroupPreferences(preferences)
        #expect(full.json == item["full"].json)
        #expect(try FullGroupPreferences(json: full.json) == full)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "preference-enabled"))
    func featuresAreEnabledForEachSideAsRecorded(item: VectorCase) throws {
        let user = try #require(FeatureAllowed(code: try item.text("user")))
        let contact = try #require(FeatureAllowed(code: try item.text("contact")))
        for (name, isAsymmetric) in [("asymmetric", true), ("symmetric", false)] {
            let enabled = PreferenceEnabled(user: user, contact: contact, isAsymmetric: isAsymmetric)
            #expect(enabled.json == item[name].json)
        }
    }
}
