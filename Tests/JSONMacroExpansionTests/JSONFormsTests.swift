import Testing

@testable import JSONMacroExpansion

@Suite("@JSONForms")
struct JSONFormsTests {
    private func members(_ source: String) -> String { JSONMacroExpander.expand("JSONFormsMacro", declaration: source).source ?? "" }

    @Test func `an enum gets reading and writing of each form`() {
        let source = """
            @JSONForms
            public indirect enum ChatInfo: JSONTagged, Hashable {
                /// A contact.
                case direct(contact: Contact)
                @JSONName("grp", ["scope": "groupChatScope", "info": "i"])
                case group(
                    info: GroupInfo, scope: Scope?
                )
                case none, `internal`
                case listed(names: [String] = [], userID: UserID)
                @JSONPositional case pair(a: Int, b: [String: Int])
                @JSONRepeated("user") case items(user: User, items: [Item<A, B>])
                case other(String, JSONValue)
            }
            """
        #expect(
            members(source) == """
                /// Reads the form that the tag names; nil for a tag that is not known.
                public init?(tag: String, object: JSONObject) throws(JSONError) {
                    switch tag {
                    case "direct": self = .direct(contact: try object.required("contact"))
                    case "grp": self = .group(info: try object.required("i"), scope: try object.optional("groupChatScope"))
                    case "none": self = .none
                    case "internal": self = .`internal`
                    case "listed": self = .listed(names: try object.optional("names") ?? [], userID: try object.required("userId"))
                    case "pair": self = .pair(a: try object.positional(0), b: try object.positional(1))
                    case "items": self = .items(user: try object.required("user"), items: try object.required("items"))
                    default: return nil
                    }
                }

                /// A form that is not known, kept as it came.
                public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

                /// Writes the tag of the form and its values, in their order.
                public func write(into object: inout JSONObjectWriter) {
                    switch self {
                    case .direct(let contact):
                        object.add("type", "direct")
                        object.add("contact", contact)
                    case .group(let info, let scope):
                        object.add("type", "grp")
                        object.add("i", info)
                        object.add("groupChatScope", scope)
                    case .none: object.add("type", "none")
                    case .`internal`: object.add("type", "internal")
                    case .listed(let names, let userID):
                        object.add("type", "listed")
                        object.add("names", names)
                        object.add("userId", userID)
                    case .pair(let a, let b):
                        object.writePositional("pair", [a, b])
                    case .items(let user, let items):
                        object.add("type", "items")
                        object.add("user", repeated: user)
                        object.add("items", items)
                    case .other(_, let json): object.replace(with: json)
                    }
                }
                """)
    }

    @Test func `a tag ends as a name does`() {
        #expect(members("enum E { case chatItemID(itemIDs: [Int]); case other(String, JSONValue) }").contains(#"case "chatItemId": "#))
    }
}
