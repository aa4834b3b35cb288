import ChatProtocol
import Foundation
import Testing
import Yams

@testable import ParleyRules

/// The JSON Schema of bots.yaml, beside the reader.
@Suite struct SchemaTests {
    private let validator = JSONSchemaValidator(BotsSchema.json)
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardized

    @Test func theSchemaIsJSONAndItsReferencesLead() throws {
        let schema = try JSONValue(parsing: BotsSchema.text)
        #expect(schema == BotsSchema.json)
        let names = Set(schema["definitions"]?.objectValue?.members.map(\.key) ?? [])
        var named: Set<String> = []
        func collect(_ value: JSONValue) {
            for member in value.objectValue?.members ?? [] {
                if member.key == "$ref", let name = member.value.stringValue?.split(separator: "/").last { named.insert(String(name)) }
                collect(member.value)
            }
            for element in value.arrayValue ?? [] { collect(element) }
        }
        collect(schema)
        #expect(named == names)
    }

    @Test func filesThatTheReaderTakesAreValid() throws {
        var count = 0
        let extensions = try RuleExtensions(plugins: [Weather.self], conditions: [digits], actions: [echoes])
        for (name, text) in try Self.files() {
            // The program of that page adds to the format.
            let extensions = name == "extending.md" ? extensions : .none
            #expect(throws: Never.self, "\(name)") { try BotsFile(parsing: text, extensions: extensions) }
            let validator = JSONSchemaValidator(BotsSchema.json(with: extensions))
            #expect(validator.faults(of: try Self.json(text)) == [], "\(name)")
            count += 1
        }
        #expect(count > 10, "the files of the documentation were not found")
    }

    @Test(arguments: [
        "parley: 1", "parley: 2\nprofiles: { a: {} }", "parley: 1\nprofiles: {}", "parley: 1\nprofiles: { a: { adress: {} } }",
        "parley: 1\nprofiles: { a: { rules: [ { when: { text: hi } } ] } }", "parley: 1\nprofiles: { a: { rules: [ { then: { send: x } } ] } }",
        "parley: 1\nprofiles: { a: { rules: [ { when: { role: boss }, then: { send: x } } ] } }",
        "parley: 1\nprofiles: { a: { rules: [ { when: { length: many }, then: { send: x } } ] } }",
        "parley: 1\nprofiles: { a: { rules: [ { when: { any: [ { link: 5 } ] }, then: { send: x } } ] } }",
        "parley: 1\nprofiles: { a: { rules: [ { when: { hours: noon }, then: { send: x } } ] } }",
        "parley: 1\nprofiles: { a: { rules: [ { when: { text: x }, then: { react: 🦄 } } ] } }",
        "parley: 1\nprofiles: { a: { tests: [ { say: x, expect-none: false } ] } }", "parley: 1\nlists: { l: { words: {} } }\nprofiles: { a: {} }",
    ])
    func whatTheReaderRefusesIsInvalid(_ text: String) throws {
        #expect(throws: BotsFileError.self) { try BotsFile(parsing: text) }
        #expect(validator.faults(of: try Self.json(text)) != [])
    }

    /// A file with a hole for the keys of each kind of mapping.
    static let holes: KeyValuePairs<String, String> = [
        "file": "HOLE, parley: 1, profiles: { a: {} }", "network": "network: { HOLE }", "metrics": "metrics: { HOLE }", "joins": "joins: { HOLE }",
        "webhooks": "webhooks: { HOLE }",
        "list": "lists: { l: { HOLE } }",
        "profile": "profiles: { a: { HOLE } }",
        "address": "profiles: { a: { address: { HOLE } } }", "group": "profiles: { a: { groups: { g: { HOLE } } } }",
        "channel": "profiles: { a: { channels: { g: { HOLE } } } }", "preferences": "profiles: { a: { groups: { g: { preferences: { HOLE } } } } }",
        "relay": "profiles: { a: { relay: { HOLE } } }", "relay-total": "profiles: { a: { relay: { total: { HOLE } } } }",
        "rule": "profiles: { a: { rules: [ { HOLE } ] } }", "when": "profiles: { a: { rules: [ { when: { HOLE } } ] } }",
        "checks": "profiles: { a: { rules: [ { when: { message: any, not: { HOLE } } } ] } }",
        "words": "profiles: { a: { rules: [ { when: { words: { HOLE } } } ] } }", "domains": "profiles: { a: { rules: [ { when: { domains: { HOLE } } } ] } }",
        "lines": "profiles: { a: { rules: [ { when: { lines: { HOLE } } } ] } }", "hours": "profiles: { a: { rules: [ { when: { hours: { HOLE } } } ] } }",
        "repeated": "profiles: { a: { rules: [ { when: { repeated: { HOLE } } } ] } }",
        "parts": "profiles: { a: { rules: [ { when: { contains: { HOLE } } } ] } }",
        "name-test": "profiles: { a: { rules: [ { when: { name: { HOLE } } } ] } }",
        "group-test": "profiles: { a: { rules: [ { when: { group: { HOLE } } } ] } }",
        "test-preview": "profiles: { a: { tests: [ { say: x, preview: { HOLE } } ] } }",
        "test-card": "profiles: { a: { tests: [ { say: x, card: { HOLE } } ] } }",
        "file-test": "profiles: { a: { rules: [ { when: { file: { HOLE } } } ] } }",
        "action": "profiles: { a: { rules: [ { when: { message: any }, then: { HOLE } } ] } }",
        "send-file": "profiles: { a: { rules: [ { when: { message: any }, then: { send: { file: x, HOLE } } } ] } }",
        "forward": "profiles: { a: { rules: [ { when: { message: any }, then: { forward: { HOLE } } } ] } }",
        "joiner": "profiles: { a: { groups: { g: { joiners: [ { HOLE } ] } } } }", "receive-files": "profiles: { a: { receive-files: { HOLE } } }",
        "broadcast": "profiles: { a: { rules: [ { when: { message: any, from: b }, then: { broadcast: { HOLE } } } ] } }",
        "pace": "profiles: { a: { pace: { HOLE } } }", "pace-rate": "profiles: { a: { pace: { chat: { HOLE } } } }",
        "pace-member": "profiles: { a: { pace: { member: { HOLE } } } }",
        "post": "profiles: { a: { rules: [ { when: { message: any }, then: { post: { HOLE } } } ] } }", "test": "profiles: { a: { tests: [ { HOLE } ] } }",
        "test-file": "profiles: { a: { tests: [ { say: x, file: { HOLE } } ] } }",
        "step": "profiles: { a: { tests: [ { steps: [ { HOLE } ] } ] } }",
        "cooldown": "profiles: { a: { rules: [ { id: b, when: { message: any }, then: { send: x }, cooldown: { HOLE } } ] } }",
        "rate": "profiles: { a: { rules: [ { when: { rate: { HOLE } }, then: { send: x } } ] } }",
        "warn": "profiles: { a: { rules: [ { when: { text: x, chat: group }, then: { warn: { HOLE } } } ] } }",
        "block": "profiles: { a: { rules: [ { when: { text: x, chat: group }, then: { block: { HOLE } } } ] } }",
        "role-for": "profiles: { a: { rules: [ { when: { text: x, chat: group }, then: { role: { HOLE } } } ] } }",
        "captcha": "profiles: { a: { rules: [ { when: { member: pending }, then: { captcha: { HOLE } } } ] } }",
        "tell": "profiles: { a: { rules: [ { when: { text: x }, then: { tell: { HOLE } } } ] } }", "form": "profiles: { a: { forms: { f: { HOLE } } } }",
        "question": "profiles: { a: { forms: { f: { questions: [ { HOLE } ] } } } }",
        "texts": "profiles: { a: { texts: { HOLE } } }",
        "form-action": "profiles: { a: { forms: { f: { questions: [ { name: n, ask: x } ], done: { HOLE } } } } }",
        "schedule": "profiles: { a: { schedules: [ { HOLE } ] } }",
        "webhook": "profiles: { a: { rules: [ { when: { text: x }, then: { webhook: { HOLE } } } ] } }", "secret": "webhooks: { port: 1, token: { HOLE } }",
    ]

    private static func unknownKeys(_ text: String) -> [String] {
        do throws(BotsFileError) {
            _ = try BotsFile(parsing: "{ \(text) }")
            return []
        } catch {
            return error.diagnostics.filter { $0.code == .unknownKey }.map(\.message)
        }
    }

    @Test func everyKeyOfTheSchemaIsOneOfTheReader() {
        #expect(Set(Self.holes.map(\.key)) == Set(Schemas.all.map(\.name)))
        for schema in Schemas.all {
            guard let hole = Self.holes.first(where: { $0.key == schema.name })?.value else { continue }
            for key in schema.keys where !hole.contains("HOLE, \(key.name):") && !hole.contains(", \(key.name): {}") && !hole.contains("\(key.name): x, HOLE") {
                #expect(Self.unknownKeys(hole.replacing("HOLE", with: "\(key.name): x")).isEmpty, "\(schema.name): \(key.name)")
            }
            #expect(Self.unknownKeys(hole.replacing("HOLE", with: "not-a-key: x")).count == 1, "\(schema.name)")
        }
    }

    /// Readers ask for keys by their names: each must be in the schema, where `refuseKeys` and editors find it.
    @Test func everyKeyThatAReaderAsksForIsInTheSchema() throws {
        let known = Set(Schemas.all.flatMap(\.names) + Schemas.scenario.names)
        let folder = Self.root.appendingPathComponent("Sources/Bots/ParleyRules")
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
        var asked: Set<String> = []
        for name in names {
            let source = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            for match in source.matches(of: /(?:\.value|\.required)\("([a-z-]+)"/) { asked.insert(String(match.1)) }
        }
        #expect(asked.count > 50)
        #expect(asked.subtracting(known) == [])
    }

    // MARK: Parts

    /// bots.yaml and the files that the documentation shows.
    private static func files() throws -> [(name: String, text: String)] {
        var files = [("bots.yaml", try String(contentsOf: root.appendingPathComponent("bots.yaml"), encoding: .utf8))]
        for folder in ["docs", "Examples"] {
            let path = root.appendingPathComponent(folder)
            for case let name as String in FileManager.default.enumerator(atPath: path.path) ?? FileManager.DirectoryEnumerator() {
                if name.hasSuffix(".yaml"), !name.hasSuffix(".compose.yaml") {
                    files.append((name, try String(contentsOf: path.appendingPathComponent(name), encoding: .utf8)))
                }
                guard name.hasSuffix(".md") else { continue }
                let text = try String(contentsOf: path.appendingPathComponent(name), encoding: .utf8)
                for block in text.matches(of: /```yaml\n((?s:.*?))```/) where block.1.hasPrefix("parley:") { files.append((name, String(block.1))) }
            }
        }
        return files
    }

    /// A YAML text as an editor takes it: plain scalars have the types of JSON.
    static func json(_ text: String) throws -> JSONValue {
        func json(_ node: Node) -> JSONValue {
            switch node {
            case .mapping(let mapping): return .object(JSONObject(mapping.map { ($0.key.scalar?.string ?? "", json($0.value)) }))
            case .sequence(let sequence): return .array(sequence.map(json))
            case .alias: return .null
            case .scalar(let scalar):
                guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
                switch scalar.string {
                case "true": return .bool(true)
                case "false": return .bool(false)
                case "", "~", "null": return .null
                default:
                    return scalar.string.wholeMatch(of: /-?\d+(\.\d+)?/) == nil ? .string(scalar.string) : (try? JSONValue(parsing: scalar.string)) ?? .null
                }
            }
        }
        return json(try #require(try Yams.compose(yaml: text)))
    }
}
