public import ChatProtocol

/// A name that stands for a person, a bot or a channel, such as `@ann.simplex` or `#news.simplex`.
@JSONMembers
public struct SimplexNameInfo: JSONObjectConvertible, Hashable {
    /// The kind of the owner: `contact` or `publicGroup`.
    public var nameType: String
    /// The domain that is resolved.
    public var nameDomain: SimplexDomainInfo
}

/// The domain of a name, such as `chat.acme.simplex`.
@JSONMembers
public struct SimplexDomainInfo: JSONObjectConvertible, Hashable {
    /// The top level: `simplex`, `testing` or `web`.
    @JSONName("nameTLD") public var topLevel: String
    /// The name below the top level; the whole name if the top level is `web`.
    public var domain: String
    /// The names below ``domain``, from the outermost.
    @JSONName("subDomain") public var subdomains: [String]
}

/// The reason why the owner of a name cannot be connected to, although the name is registered.
@JSONForms
public enum SimplexDomainError: JSONTagged, Hashable {
    /// The record of the name has no link of that kind.
    case noValidLink
    /// The owner of the link does not claim the name.
    case unknownDomain
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
