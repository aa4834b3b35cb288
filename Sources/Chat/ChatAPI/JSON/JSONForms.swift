internal import ChatProtocol

/// The forms of an enum as JSON objects with a member `type`, each written once: the case.
///
/// ```swift
/// @JSONForms
/// public enum InvitedBy: JSONTagged, Hashable {
///     @JSONName(["contactID": "byContactId"])
///     case contact(contactID: ContactID)
///     case user
///     case other(String, JSONValue)
/// }
/// ```
///
/// The macro adds the requirements of ``JSONTagged``, as visible as the type: `init(tag:object:)`, `other(tag:json:)` and `write(into:)`. The tag of a
/// form is the name of its case, and its members are the labels of the values, with `ID` or `IDs` at the end written `Id` and `Ids`; `@JSONName`
/// gives other names. Values are read and written as the properties of a struct with `@JSONMembers` are: optional ones may be absent, and the
/// default value of one stands for its absence. The case `other(String, JSONValue)` keeps forms that are not known.
@attached(member, names: named(init(tag:object:)), named(other(tag:json:)), named(write(into:)))
public macro JSONForms() = #externalMacro(module: "JSONMacros", type: "JSONFormsMacro")

/// A case of an enum with ``JSONForms()`` whose values have no names in JSON: they are the array in the member `data`.
@attached(peer)
public macro JSONPositional() = #externalMacro(module: "JSONMacros", type: "JSONAnnotationMacro")
