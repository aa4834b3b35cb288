internal import Parley
internal import UnicodeText

/// Domains of links in a text: `domains: [example.com]`, those of a list, or all others.
struct DomainsCheck: RuleCheck {
    static let key = "domains"
    static let shape = Shape.anyOf([.listOrOne(.text), .mapping("domains")])
    static let summary = "Domains of links in the text."
    static let subject = CheckSubject.text
    static let mapping = MappingSchema(
        "domains",
        [
            .key("of", .listOrOne(.text), "Domains."), .key("list", .listOrOne(.text), "Lists of this file."),
            .key("except", .listOrOne(.text), "Domains that are not meant, with those below them."),
            .key("outside", .bool, "Look for links to other domains instead."),
        ])

    private let domains: DomainSet
    /// Domains that are not meant, with those below them.
    private var exceptions = DomainSet([])
    /// True if links to other domains are looked for.
    private var outside = false

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard reader.keys != nil else {
            guard let items = reader.listOrOne() else { return nil }
            domains = DomainSet(items.compactMap { ListSpec.entry($0, .domains) })
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        if mapping.value("of") == nil, mapping.value("list") == nil {
            reader.report(.missingKey, "no domains to look for", hint: "write of: [example.com], or list: name")
        }
        let own = mapping.value("of")?.listOrOne()?.compactMap { ListSpec.entry($0, .domains) } ?? []
        let listed = mapping.value("list")?.lists(of: .domains).flatMap(\.entries) ?? []
        exceptions = DomainSet(mapping.value("except")?.listOrOne()?.compactMap { ListSpec.entry($0, .domains) } ?? [])
        domains = DomainSet(own + listed)
        outside = mapping.value("outside")?.bool() ?? false
    }

    var isSearch: Bool { true }

    /// The first host of a link that is looked for.
    private func host(in links: TextLinks) -> String? {
        // A name that leads nowhere is no link to another domain.
        (outside ? links.linkHosts : links.hosts).first { exceptions.covering($0) == nil && (domains.covering($0) == nil) == outside }
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(host(in: facts.links) != nil) }
    func reason(_ facts: inout InputFacts) -> String { facts.linkReason }
    func finding(_ facts: inout InputFacts) -> String? { host(in: facts.links).map(DomainName.readable) }
}
