/// The expansion of `@JSONMembers`: a memberwise initialiser, `init(object:)` and `write(into:)`, in the order of the stored properties. What the
/// body of the struct has of these already is left to it. A struct that names `ExtensibleObject` in its declaration also gets what keeps the members that
/// are not known: `unknownMembers`, `memberNames` and `addUnknownMembers(of:)`.
struct JSONMembersExpansion {
    /// The source text of the members.
    let source: String

    init(_ declaration: Declaration) throws(Misuse) {
        guard declaration.kind == .structure else { throw Misuse(.membersOfStruct, at: declaration.offset) }
        let isExtensible = declaration.inheritance.contains("ExtensibleObject")
        let fields = try Self.fields(of: declaration, isExtensible: isExtensible)
        let access = declaration.access
        var members: [String] = []
        if !declaration.members.contains(.initializer(fields.map(\.name))) {
            members.append(
                """
                /// Creates the value from its fields.
                \(access)init(\(fields.map(\.parameter).joined(separator: ", "))) {
                    \(fields.map { "self.\($0.name) = \($0.name)" }.joined(separator: "\n    "))
                }
                """)
        }
        if !declaration.members.contains(.initializer(["object"])) {
            members.append(
                """
                /// Reads the fields from the members of an object.
                \(access)init(object: JSONObject) throws(JSONError) {
                    \((fields.map { "self.\($0.name) = \($0.reading)" } + (isExtensible ? [Self.readingUnknown] : [])).joined(separator: "\n    "))
                }
                """)
        }
        if !declaration.members.contains(.method("write", ["into"])) {
            members.append(
                """
                /// Adds the fields to an object, in their order.
                \(access)func write(into object: inout JSONObjectWriter) {
                    \((fields.map { $0.writing(of: "self.") } + (isExtensible ? [Self.writingUnknown] : [])).joined(separator: "\n    "))
                }
                """)
        }
        if isExtensible { members += Self.unknownMembers(besides: fields, access: access) }
        source = members.joined(separator: "\n\n")
    }

    private static let readingUnknown = "self.unknownMembers = object.unknown(to: Self.memberNames)"
    private static let writingUnknown = "object.add(unknown: self.unknownMembers, to: Self.memberNames)"

    /// The members of a struct that keeps what it does not know.
    private static func unknownMembers(besides fields: [JSONField], access: String) -> [String] {
        let merging = fields.filter { !$0.isConstant }.map { "UnknownMembers.add(of: other.\($0.name), to: &self.\($0.name))" }
        return [
            """
            /// The members that this version does not know, as they came.
            \(access)var unknownMembers: JSONObject = JSONObject()
            """,
            """
            /// The names of the members that this version knows.
            \(access)static let memberNames: [String] = [\(fields.map { "\"\($0.jsonName)\"" }.joined(separator: ", "))]
            """,
            """
            /// Adds the unknown members of another value, at every depth. Those that are there already stay.
            \(access)mutating func addUnknownMembers(of other: Self) {
                \((["UnknownMembers.add(other.unknownMembers, to: &self.unknownMembers)"] + merging).joined(separator: "\n    "))
            }
            """,
        ]
    }

    /// The stored properties in their order.
    private static func fields(of declaration: Declaration, isExtensible: Bool) throws(Misuse) -> [JSONField] {
        var fields: [JSONField] = []
        var misuses: [Misuse] = []
        for case .property(let property) in declaration.members {
            do throws(Misuse) {
                let field = try field(property)
                if field.isFlattened, isExtensible { throw Misuse(.flattened(property.name), at: property.offset) }
                if fields.contains(where: { $0.jsonName == field.jsonName }) { throw Misuse(.repeatedName(field.jsonName), at: property.offset) }
                fields.append(field)
            } catch {
                misuses.append(error)
            }
        }
        if let misuse = Misuse(misuses) { throw misuse }
        return fields
    }

    private static func field(_ property: Declaration.Property) throws(Misuse) -> JSONField {
        let annotations = try JSONAnnotations(property.attributes)
        if property.isLazy { throw Misuse(.lazy(property.name), at: property.offset) }
        if property.isConstant, property.value != nil { throw Misuse(.constant(property.name), at: property.offset) }
        guard let type = property.type else { throw Misuse(.untyped(property.name), at: property.offset) }
        return JSONField(
            name: property.name, jsonName: annotations.name ?? JSONField.jsonName(ofSwiftName: property.name), type: type, defaultValue: property.value,
            isRequired: annotations.isRequired, isRepeated: annotations.isRepeated, since: annotations.since, isFlattened: annotations.isFlattened,
            isConstant: property.isConstant)
    }
}
