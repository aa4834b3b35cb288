import Testing

@testable import JSONMacroExpansion

@Suite("@JSONMembers")
struct JSONMembersTests {
    private func members(_ source: String) -> String { JSONMacroExpander.expand("JSONMembersMacro", declaration: source).source ?? "" }

    @Test func `a struct gets an initialiser, reading and writing in the order of its properties`() {
        let source = """
            /// The folder of notes to oneself.
            @JSONMembers
            public struct NoteFolder: JSONObjectConvertible, Hashable {
                /// Database id.
                public var noteFolderID: NoteFolderID
                @JSONName("chatTs") public var chatTimestamp: UTCTimestamp
                @JSONName("favorite") public var isFavorite: Bool = false
                public var customData: JSONValue? // kept
            }
            """
        #expect(
            members(source) == """
                /// Creates the value from its fields.
                public init(noteFolderID: NoteFolderID, chatTimestamp: UTCTimestamp, isFavorite: Bool = false, customData: JSONValue? = nil) {
                    self.noteFolderID = noteFolderID
                    self.chatTimestamp = chatTimestamp
                    self.isFavorite = isFavorite
                    self.customData = customData
                }

                /// Reads the fields from the members of an object.
                public init(object: JSONObject) throws(JSONError) {
                    self.noteFolderID = try object.required("noteFolderId")
                    self.chatTimestamp = try object.required("chatTs")
                    self.isFavorite = try object.optional("favorite") ?? false
                    self.customData = try object.optional("customData")
                }

                /// Adds the fields to an object, in their order.
                public func write(into object: inout JSONObjectWriter) {
                    object.add("noteFolderId", self.noteFolderID)
                    object.add("chatTs", self.chatTimestamp)
                    object.add("favorite", self.isFavorite)
                    object.add("customData", self.customData)
                }
                """)
    }

    @Test func `a struct that is an ExtensibleObject keeps the members that it has no property for`() {
        let source = """
            @JSONMembers
            public struct Page: Hashable, ExtensibleObject where Int: Hashable {
                @JSONName("pageTitle") public var title: String
                public let number: Int
            }
            """
        #expect(
            members(source) == """
                /// Creates the value from its fields.
                public init(title: String, number: Int) {
                    self.title = title
                    self.number = number
                }

                /// Reads the fields from the members of an object.
                public init(object: JSONObject) throws(JSONError) {
                    self.title = try object.required("pageTitle")
                    self.number = try object.required("number")
                    self.unknownMembers = object.unknown(to: Self.memberNames)
                }

                /// Adds the fields to an object, in their order.
                public func write(into object: inout JSONObjectWriter) {
                    object.add("pageTitle", self.title)
                    object.add("number", self.number)
                    object.add(unknown: self.unknownMembers, to: Self.memberNames)
                }

                /// The members that this version does not know, as they came.
                public var unknownMembers: JSONObject = JSONObject()

                /// The names of the members that this version knows.
                public static let memberNames: [String] = ["pageTitle", "number"]

                /// Adds the unknown members of another value, at every depth. Those that are there already stay.
                public mutating func addUnknownMembers(of other: Self) {
                    UnknownMembers.add(other.unknownMembers, to: &self.unknownMembers)
                    UnknownMembers.add(of: other.title, to: &self.title)
                }
                """)
        for other in ["struct Page: JSONObjectConvertible {", "struct Page<A: ExtensibleObject>: Hashable {", "struct Page where A: ExtensibleObject {"] {
            #expect(!members("\(other) var title: String }").contains("unknownMembers"), "\(other)")
        }
    }

    @Test(arguments: [
        ("public struct A {", "public init(a: Int)"), ("package struct A {", "package init(a: Int)"), ("struct A {", "\ninit(a: Int)"),
        ("private struct A {", "\ninit(a: Int)"), ("public struct A<B: C & D<E>>: F where B: G {", "public init(a: Int)"),
    ])
    func `what is generated is as visible as the type`(head: String, initializer: String) {
        #expect(members("\(head) var a: Int }").contains("\(initializer) {"))
    }

    @Test(arguments: [
        (#"@JSONRequired var a: String = """#, #"self.a = try object.required("a")"#, #"a: String = """#),
        ("var a: [String: B<C, D>] = [:]", #"object["a"] = self.a"#, "a: [String: B<C, D>] = [:]"),
        ("var a: [(b: Int, c: Int)] = []", #"self.a = try object.optional("a") ?? []"#, "a: [(b: Int, c: Int)] = []"),
        ("var a: [String: [Int]]? = nil", #"self.a = try object.optional("a")"#, "a: [String: [Int]]? = nil"),
        ("@JSONRepeated var a: B", #"object.add("a", repeated: self.a)"#, "a: B"),
        ("@JSONName(\"x\") @JSONRepeated\n  public private(set) var a: B", #"object.add("x", repeated: self.a)"#, "a: B"),
        ("@JSONSince(.v70) var a: B?", #"if object.version >= .v70 { object.add("a", self.a) }"#, "a: B? = nil"),
        ("@JSONSince(.v70) @JSONName(\"x\") var a: B = c", #"self.a = try object.optional("x") ?? c"#, "a: B = c"),
        ("@JSONSince(.v70) var a: [String: B] = [:]", #"if object.version >= .v70 { object["a"] = self.a }"#, "a: [String: B] = [:]"),
        ("@JSONFlattened var a: B", "self.a.write(into: &object)", "a: B"), ("@JSONFlattened var a: B = .c", "self.a = try B(object: object)", "a: B = .c"),
        ("var aID: Int", #"object.add("aId", self.aID)"#, "aID: Int"), ("var aIDs: [Int]", #"object.add("aIds", self.aIDs)"#, "aIDs: [Int]"),
        ("var `in`: Int", #"self.`in` = try object.required("in")"#, "`in`: Int"), ("var ID: Int", #"object.add("ID", self.ID)"#, "ID: Int"),
        ("var a: Int = 1 { didSet { b() } }", #"?? 1"#, "a: Int = 1"), ("var a: Int { willSet { b() } }", #"object.add("a", self.a)"#, "a: Int"),
        ("let a: Result<B, C>", #"self.a = try object.required("a")"#, "a: Result<B, C>"),
        ("var a: (@Sendable (Int) -> [B])?", #"try object.optional("a")"#, "a: (@Sendable (Int) -> [B])? = nil"),
        ("var a: A = .init(\n  b: [1, 2]\n )\n  .c", "?? .init(\n  b: [1, 2]\n )\n  .c", "a: A = .init(\n  b: [1, 2]\n )\n  .c"),
        ("var a: String = \"}, \\(b(\"{\")) \"", "?? \"}, \\(b(\"{\")) \"", "a: String = \"}, \\(b(\"{\")) \""),
        ("var a: String = #\"\"\"\n } \" \"\" \n\"\"\"#", "?? #\"\"\"\n } \" \"\" \n\"\"\"#", "a: String = #\"\"\"\n } \" \"\" \n\"\"\"#"),
        ("var a: Int? /* { /* } */ */ = nil", #"try object.optional("a")"#, "a: Int? = nil"),
    ])
    func `a property is written once`(property: String, part: String, parameter: String) {
        let members = members("struct S {\n\(property)\n}")
        #expect(members.contains("init(\(parameter)) {"))
        #expect(members.contains(part))
    }

    @Test func `several properties in a line are fields of their own`() {
        #expect(members("struct S { var a, b: Int, c: String? }").contains("init(a: Int, b: Int, c: String? = nil)"))
    }

    @Test func `what is no stored property of a value is no field`() {
        let source = """
            struct S: P {
                static let all: [S] = [.init(a: 1)]
                class var none: Int { 0 }
                typealias B = Array<Int>
                var a: Int
                var b: Int { a }
                var c: Int { get { a } set { a = newValue } }
                var d: Int {
                    // A comment with a brace: }
                    return 0
                }
                let e: Int; subscript(index: Int) -> Int { index }
                enum Nested { case f, g }
                struct Inner { var h: Int }
                func i<T>(_ j: [T], k: () -> T) throws(E) -> T { k() }
                static func == (left: S, right: S) -> Bool { true }
                init?(l m: Int = 3, _ n: Int) where A: B { nil }
            }
            """
        #expect(members(source).contains("init(a: Int, e: Int) {"))
    }

    @Test func `what the struct has written itself is left to it`() {
        let object = members("struct S { var a: Int; init(object: JSONObject) throws(JSONError) { a = 1 } }")
        #expect(!object.contains("init(object:"))
        #expect(object.contains("init(a: Int)") && object.contains("func write"))
        let memberwise = members("struct S { var a: Int; public init(a: Int = 5) { self.a = a } }")
        #expect(!memberwise.contains("init(a: Int)") && memberwise.contains("init(object:"))
        let write = members("struct S { var a: Int; func write(into object: inout JSONObjectWriter) {} }")
        #expect(!write.contains("func write") && write.contains("init(object:"))
        #expect(members("struct S { var a: Int; func write(to object: Int) {} }").contains("func write(into"))
    }
}
