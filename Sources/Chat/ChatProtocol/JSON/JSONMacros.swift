/// The fields of a struct as members of a JSON object, each written once: the stored property.
///
/// ```swift
/// @JSONMembers
/// public struct NoteFolder: JSONObjectConvertible, Hashable {
///     public var noteFolderID: NoteFolderID
///     @JSONName("chatTs") public var chatTimestamp: UTCTimestamp
///     @JSONName("favorite") public var isFavorite: Bool = false
///     public var customData: JSONValue?
/// }
/// ```
///
/// The macro adds a memberwise initialiser, `init(object:)` and `write(into:)`, as visible as the type and in the order of the properties. What
/// the body of the struct has of these already is left to it; what an extension has is not seen.
///
/// | Property | Read | Written |
/// |---|---|---|
/// | `var a: T` | must be there: ``JSONError/Code/missingMember`` | always |
/// | `var a: T?` | absent and `null` are nil | unless nil |
/// | `var a: T = value` | absent and `null` are the value | always |
/// | ``JSONRequired()`` `var a: T = value` | must be there; the value is that of the initialiser only | always |
/// | `var a: [String: T] = [:]` | an object whose names are data; absent is empty | always, sorted by name |
/// | ``JSONSince(_:)`` `var a: T` | as without | for that version of the API and later ones |
/// | ``JSONFlattened()`` `var a: T` | by `T` out of the same object | by `T` into the same object |
///
/// A member is named as its property, with `ID` or `IDs` at the end written `Id` and `Ids`: `noteFolderID` is `noteFolderId`. ``JSONName(_:)`` gives
/// any other name.
///
/// A struct that names ``ExtensibleObject`` in its declaration keeps the members that it has no property for: the macro adds `unknownMembers`,
/// `memberNames` and `addUnknownMembers(of:)`, and reads and writes what is not known. An `init(object:)` or `write(into:)` in the body of such a struct
/// calls `object.unknown(to:)` or `object.add(unknown:to:)` itself. Any other struct drops the members that it does not know.
@attached(
    member, names: named(init), named(init(object:)), named(write(into:)), named(unknownMembers), named(memberNames), named(addUnknownMembers(of:)))
public macro JSONMembers() = #externalMacro(module: "JSONMacros", type: "JSONMembersMacro")

/// The name of a property's member in a struct with ``JSONMembers()``, or the tag of a case in an enum with `@JSONForms`.
@attached(peer)
public macro JSONName(_ name: String) = #externalMacro(module: "JSONMacros", type: "JSONAnnotationMacro")

/// The tag of a case in an enum with `@JSONForms`, and the names of the members of its values, by their labels.
@attached(peer)
public macro JSONName(_ tag: String, _ names: [String: String]) = #externalMacro(module: "JSONMacros", type: "JSONAnnotationMacro")

/// The names of the members of a case's values in an enum with `@JSONForms`, by their labels.
@attached(peer)
public macro JSONName(_ names: [String: String]) = #externalMacro(module: "JSONMacros", type: "JSONAnnotationMacro")

/// A property of a struct with ``JSONMembers()`` whose member must be there although the property has a default value.
@attached(peer)
public macro JSONRequired() = #externalMacro(module: "JSONMacros", type: "JSONAnnotationMacro")

/// A property of a struct with ``JSONMembers()`` whose member programs of earlier versions of the API do not get. It is read in every version.
@attached(peer)
public macro JSONSince(_ version: APIVersion) = #externalMacro(module: "JSONMacros", type: "JSONAnnotationMacro")

/// A property of a struct with ``JSONMembers()`` whose own members are members of the struct's object. Its type is a `JSONObjectConvertible`, which may have
/// other members in each ``APIVersion``. A struct that is an ``ExtensibleObject`` has none.
@attached(peer)
public macro JSONFlattened() = #externalMacro(module: "JSONMacros", type: "JSONAnnotationMacro")

/// A property, or the values of a case with these labels, whose text is kept and copied if the next such value is equal
/// (``JSONWriter/write(repeated:)``). For values that are large and come many times in one text.
@attached(peer)
public macro JSONRepeated(_ labels: String...) = #externalMacro(module: "JSONMacros", type: "JSONAnnotationMacro")
