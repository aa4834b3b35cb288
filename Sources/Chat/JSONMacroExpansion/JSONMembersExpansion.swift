/// The expansion of `@JSONMembers`: a memberwise initialiser, `init(object:)` and `write(into:)`, in the order of the stored properties. What the
/// body of the struct has of these already is left to it.
struct JSONMembersExpansion {
    /// The source text of the members.
    let source: String

    init(_ declaration: Declaration) throws(Misuse) {
        guard declaration.kind == .structure else { throw Misuse(.membersOfStruct, at: declaration.offset) }
        let fields = try Self.fields(of: declaration)
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
                    \(fields.map { "self.\($0.name) = \($0.reading)" }.joined(separator: "\n    "))
                }
                """)
        }
        if !declaration.members.contains(.method("write", ["into"])) {
            members.append(
                """
                /// Adds the fields to an object, in their order.
                \(access)func write(into object: inout JSONObjectWriter) {
                    \(fields.map { $0.writing(of: "self.") }.joined(separator: "\n    "))
                }
                """)
        }
        source = members.joined(separator: "\n\n")
    }

    /// The stored properties in their order.
    private static func fields(of declaration: Declaration) throws(Misuse) -> [JSONField] {
        var fields: [JSONField] = []
        var misuses: [Misuse] = []
        for case .property(let property) in declaration.members {
            do throws(Misuse) {
                let field = try field(property)
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
            isRequired: annotations.isRequired, isRepeated: annotations.isRepeated)
    }
}
