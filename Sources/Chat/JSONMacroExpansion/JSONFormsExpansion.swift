/// The expansion of `@JSONForms`: `init(tag:object:)`, `other(tag:json:)` and `write(into:)`, with a case for each form.
struct JSONFormsExpansion {
    /// The source text of the members.
    let source: String

    /// A case of the enum.
    private struct Form {
        let name: String
        let tag: String
        let fields: [JSONField]
        let isPositional: Bool
    }

    init(_ declaration: Declaration) throws(Misuse) {
        guard declaration.kind == .enumeration else { throw Misuse(.formsOfEnum, at: declaration.offset) }
        let forms = try Self.forms(of: declaration)
        let access = declaration.access
        source = """
            /// Reads the form that the tag names; nil for a tag that is not known.
            \(access)init?(tag: String, object: JSONObject) throws(JSONError) {
                switch tag {
                \(forms.map(Self.reading).joined(separator: "\n    "))
                default: return nil
                }
            }

            /// A form that is not known, kept as it came.
            \(access)static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

            /// Writes the tag of the form and its values, in their order.
            \(access)func write(into object: inout JSONObjectWriter) {
                switch self {
                \(forms.map(Self.writing).joined(separator: "\n    "))
                case .other(_, let json): object.replace(with: json)
                }
            }
            """
    }

    private static func reading(_ form: Form) -> String {
        let label = "case \"\(form.tag)\": self = .\(form.name)"
        guard !form.fields.isEmpty else { return label }
        let values = form.fields.enumerated().map { index, field in
            "\(field.name): \(form.isPositional ? "try object.positional(\(index))" : field.reading)"
        }
        return "\(label)(\(values.joined(separator: ", ")))"
    }

    private static func writing(_ form: Form) -> String {
        guard !form.fields.isEmpty else { return "case .\(form.name): object.add(\"type\", \"\(form.tag)\")" }
        let pattern = "case .\(form.name)(\(form.fields.map { "let \($0.name)" }.joined(separator: ", "))):"
        let statements =
            form.isPositional
            ? ["object.writePositional(\"\(form.tag)\", [\(form.fields.map(\.name).joined(separator: ", "))])"]
            : ["object.add(\"type\", \"\(form.tag)\")"] + form.fields.map { $0.writing() }
        return ([pattern] + statements).joined(separator: "\n        ")
    }

    /// The cases but `other`, in their order.
    private static func forms(of declaration: Declaration) throws(Misuse) -> [Form] {
        var forms: [Form] = []
        var misuses: [Misuse] = []
        var hasOther = false
        for case .enumCase(let element) in declaration.members {
            if element.isOther {
                hasOther = true
                continue
            }
            do throws(Misuse) {
                let form = try form(element)
                if forms.contains(where: { $0.tag == form.tag }) { throw Misuse(.repeatedName(form.tag), at: element.offset) }
                forms.append(form)
            } catch {
                misuses.append(error)
            }
        }
        if !hasOther { misuses.insert(Misuse(.noOther, at: declaration.offset), at: 0) }
        if let misuse = Misuse(misuses) { throw misuse }
        return forms
    }

    private static func form(_ element: Declaration.EnumCase) throws(Misuse) -> Form {
        let annotations = try JSONAnnotations(element.attributes)
        var fields: [JSONField] = []
        for value in element.values {
            guard let label = value.label else { throw Misuse(.unlabelled(element.name), at: value.offset) }
            let jsonName = annotations.values[label] ?? JSONField.jsonName(ofSwiftName: label)
            if jsonName == "type" || fields.contains(where: { $0.jsonName == jsonName }) { throw Misuse(.repeatedName(jsonName), at: value.offset) }
            fields.append(
                JSONField(
                    name: label, jsonName: jsonName, type: value.type, defaultValue: value.value, isRepeated: annotations.repeatedLabels.contains(label)))
        }
        for label in annotations.repeatedLabels.union(annotations.values.keys).sorted() where !fields.contains(where: { $0.name == label }) {
            throw Misuse(.unknownValue(label, of: element.name), at: element.offset)
        }
        return Form(
            name: element.name, tag: annotations.name ?? JSONField.jsonName(ofSwiftName: element.name), fields: fields,
            isPositional: annotations.isPositional)
    }
}

extension Declaration.EnumCase {
    /// The case that keeps what is not known: `other(String, JSONValue)`.
    fileprivate var isOther: Bool { name == "other" && values.map(\.type) == ["String", "JSONValue"] && values.allSatisfy { $0.label == nil } }
}
