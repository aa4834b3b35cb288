import ChatProtocol
import Testing

@testable import ChatRules

@Suite("The settings of apps")
struct AppSettingTests {
    private func value(_ key: String, stored: JSONValue? = nil, given: JSONValue? = nil) -> JSONValue? {
        AppSettings.combined(stored: stored, given: given).objectValue?[key]
    }

    @Test("what an app saved counts, else what its platform gives, else the general default")
    func order() {
        let saved: JSONValue = ["uiColorScheme": "SAVED"], given: JSONValue = ["uiColorScheme": "GIVEN"]
        #expect(value("uiColorScheme", stored: saved, given: given) == "SAVED")
        #expect(value("uiColorScheme", given: given) == "GIVEN")
        #expect(value("uiColorScheme", stored: ["other": 1], given: ["another": 2]) == value("uiColorScheme"))
    }

    @Test("null sets nothing, and settings that nobody knows are kept")
    func nulls() {
        #expect(value("uiColorScheme", stored: ["uiColorScheme": .null], given: ["uiColorScheme": "GIVEN"]) == "GIVEN")
        #expect(value("uiColorScheme", given: ["uiColorScheme": .null]) == value("uiColorScheme"))
        #expect(value("newSetting", stored: ["newSetting": [1, 2]]) == [1, 2])
    }

    @Test("what is no object sets nothing", arguments: [JSONValue.null, true, "text", []])
    func noObject(settings: JSONValue) { #expect(AppSettings.combined(stored: settings, given: settings) == AppSettings.combined(stored: nil, given: nil)) }
}
