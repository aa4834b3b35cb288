/// A declaration that a macro is attached to.
struct Declaration: Hashable {
    enum Kind: Hashable {
        case structure
        case enumeration
        case property
        case enumCase
        case other
    }

    var kind: Kind
    /// The name of a type; empty for anything else.
    var name = ""
    /// Where the name begins: UTF-8 bytes from the beginning of the source text.
    var offset = 0
    /// The access level of members that are as visible as the type, with a space behind it; empty for that of the module.
    var access = ""
    /// The names in the list of what a type inherits from or conforms to.
    var inheritance: [String] = []
    /// The members of a type, in order.
    var members: [Member] = []

    /// A member of a type, as far as it matters here.
    enum Member: Hashable {
        case property(Property)
        case enumCase(EnumCase)
        /// The labels of an initialiser's parameters.
        case initializer([String])
        /// The name of a method and the labels of its parameters.
        case method(String, [String])
    }

    /// A stored property.
    struct Property: Hashable {
        var name: String
        var offset: Int
        /// The type as it is written; nil if it is inferred.
        var type: String?
        /// The initial value as it is written.
        var value: String?
        var isConstant = false
        var isLazy = false
        var attributes: [Attribute] = []
    }

    /// A case of an enum.
    struct EnumCase: Hashable {
        var name: String
        var offset: Int
        var values: [Value] = []
        var attributes: [Attribute] = []

        /// An associated value.
        struct Value: Hashable {
            /// The label; nil for none.
            var label: String?
            var offset: Int
            var type: String
            /// The default value as it is written.
            var value: String?
        }
    }

    /// An attribute.
    struct Attribute: Hashable {
        var name: String
        var offset: Int
        var arguments: [SwiftToken] = []
        /// The declaration behind the attribute declares several.
        var isShared = false
    }
}
