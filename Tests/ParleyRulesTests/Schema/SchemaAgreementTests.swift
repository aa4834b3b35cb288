import ChatProtocol
import Testing

@testable import ParleyRules

/// Every key of the format with values of all kinds, before the reader and before the JSON Schema: editors mark what the reader refuses.
@Suite struct SchemaAgreementTests {
    private static let values = [
        "true", "false", "0", "1", "-1", "5", "1.5", "1001", "99999999999999999999", "x", "any", "none", "off", "on", "text", "member", "~", "\"\"", "{}",
        "{ x: y }", "[]", "[x]", "[~]", "[[x]]", "10m", "+10m", "-1h", "\"> 5\"", "\"> +5\"", "\"> 5%\"", "\"5..10\"", "\"> 5 in 10s\"", "22:00-06:00",
        "\"+2:00-06:00\"", "2026-12-24 18:00", "2026-12-24", "14:05", "10mb", "https://a.example", "👍",
    ]
    /// What editors cannot know: that `true` is a word where a word is asked for, and that one of several keys is needed.
    private static func isApart(_ key: String, _ value: String, _ name: String) -> Bool {
        name == "question" && key == "name" && (value == "true" || value == "false") || (key == "send" || key == "reply") && value == "{}"
    }

    private let validator = JSONSchemaValidator(BotsSchema.json)

    /// The faults that the reader finds in the value.
    private func faults(_ hole: SchemaHole, _ key: String, _ value: String) -> [Diagnostic]? {
        hole.file(key, value).map { file in ParleyRulesTests.faults(in: file.source).filter { file.columns.contains($0.position.column) } }
    }

    @Test(arguments: SchemaHole.all.map(\.schema.name))
    func whatAnEditorMarksIsRefusedAndWhatIsOfTheWrongTypeIsMarked(_ name: String) throws {
        let hole = try #require(SchemaHole.all.first { $0.schema.name == name })
        var compared = 0
        for key in hole.schema.keys {
            for value in Self.values {
                guard let found = faults(hole, key.name, value), !Self.isApart(key.name, value, name) else { continue }
                compared += 1
                let marks = validator.faults(of: try #require(try SchemaTests.json("v: \(value)")["v"]), forKey: key.name, in: name)
                #expect(marks.isEmpty || !found.isEmpty, "\(name).\(key.name): \(value) is taken, and editors mark it: \(marks)")
                #expect(!marks.isEmpty || !found.contains { $0.code == .wrongType }, "\(name).\(key.name): \(value) is not marked: \(found)")
            }
        }
        #expect(compared >= Self.values.count)
    }

    @Test(arguments: SchemaHole.all.map(\.schema.name))
    func aMessageShowsNoMoreThanTheBeginningOfWhatIsWrong(_ name: String) throws {
        let hole = try #require(SchemaHole.all.first { $0.schema.name == name })
        let long = String(repeating: "x", count: 3_000)
        for key in hole.schema.names {
            for value in [long, "[\(long)]", "\"{{ \(long) }}\"", "\"{{ text | \(long) }}\"", "{ \(long): x }", "\"2026-\(long)\"", "\"> \(long)\""] {
                guard let file = hole.file(key, value) else { continue }
                for fault in ParleyRulesTests.faults(in: file.source) {
                    #expect(
                        fault.message.count < 600 && fault.hint?.count ?? 0 < 2_500, "\(name).\(key): \(fault.message.prefix(100)): \(fault.hint?.count ?? 0)")
                }
            }
        }
    }

    @Test func theNamesThatAFileDeclaresAreCutInItsMessagesToo() {
        let long = String(repeating: "n", count: 3_000)
        for profile in [
            "rules: [ { id: \(long), when: { text: a }, then: { send: x } }, { id: \(long), when: { text: b }, then: { send: x } } ]",
            "schedules: [ { id: \(long), every: 1h, to: a, send: x }, { id: \(long), every: 1h, to: a, send: x } ]",
            "rules: [ { when: { connected: true }, then: { form: \(long) } } ]", "rules: [ { when: { text: a }, then: { form: x } } ], forms: { \(long): {} }",
            "forms: { \(long): { questions: [ { name: a, ask: b, chioces: [c] } ] } }", "groups: { \(long): { link: x } }",
            "rules: [ { id: \(long), when: { text: a }, then: { send: x } } ], tests: [ { say: x, expect: y } ]",
        ] {
            let found = ParleyRulesTests.faults(in: "parley: 1\nprofiles: { a: { \(profile) } }")
            #expect(
                !found.isEmpty && found.allSatisfy { $0.message.count < 600 && $0.hint?.count ?? 0 < 600 },
                "\(profile.prefix(60)): \(found.map(\.message.count))")
        }
    }
}
