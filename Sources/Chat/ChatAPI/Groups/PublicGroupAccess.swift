public import ChatProtocol

/// How a channel is found besides its link: its web page and its domain.
@JSONMembers
public struct PublicGroupAccess: ExtensibleObject, Hashable {
    /// The address of the page that shows the channel.
    public var groupWebPage: String?
    /// The domain that the owners claim. Apps show it as verified once a router has resolved it to the channel's link.
    @JSONName("groupDomainClaim") public var domainClaim: SimplexDomainClaim?
    /// True if the page is that of the domain.
    @JSONRequired public var domainWebPage: Bool = false
    /// True if other pages may show the channel within theirs.
    @JSONRequired public var allowEmbedding: Bool = false
}

/// A domain that somebody claims, such as `team.simplex`. A proof that newer clients add is kept.
@JSONMembers
public struct SimplexDomainClaim: ExtensibleObject, Hashable {
    /// The whole domain.
    public var domain: String
}

extension PublicGroupAccess {
    /// ` web=`, ` domain=`, ` domain_page=` and ` embed=`, in this order, as far as they come.
    init(console r: inout CommandReader) {
        let page = r.skip(" web=") ? r.word() : nil, domain = r.skip(" domain=") ? r.word() : nil
        self.init(
            groupWebPage: page, domainClaim: domain.map { SimplexDomainClaim(domain: $0) }, domainWebPage: r.flag(after: " domain_page="),
            allowEmbedding: r.flag(after: " embed="))
    }

    /// The options of the console command.
    var words: String {
        (groupWebPage.map { " web=\($0)" } ?? "") + CommandText.domain(domainClaim?.domain) + CommandText.option(" domain_page=", domainWebPage)
            + CommandText.option(" embed=", allowEmbedding)
    }
}
