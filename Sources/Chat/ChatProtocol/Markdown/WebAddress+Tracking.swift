internal import SMPWire

extension WebAddress {
    /// The extent to which a query is cleaned.
    public enum Sanitizing: Sendable {
        /// Parameters that are known to track.
        case known
        /// All parameters but those that are known to be needed, and the first one if the path looks like the name of a page
        /// and not like an identifier, unless it may track.
        case all
    }

    /// The address without parameters that identify the reader; nil if there are none.
    public func sanitized(_ sanitizing: Sanitizing) -> WebAddress? {
        let kept: [Item]
        switch sanitizing {
        case .known: kept = query.filter { !Self.isKnownTracking($0.name) }
        case .all:
            let isPage = path.allSatisfy(Self.isPageNameCharacter)
            kept = query.enumerated().filter { index, item in
                isNeeded(item.name) || index == 0 && isPage && !Self.mayTrack(item.name)
            }.map(\.element)
        }
        return kept.count == query.count ? nil : with(query: kept)
    }

    /// Lowercase Latin words with dashes and underscores.
    private static func isPageNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "/"): true
        default: false
        }
    }

    private static func isKnownTracking(_ name: Bytes) -> Bool { trackingPrefixes.contains { name.starts(with: $0) } }

    private static func mayTrack(_ name: Bytes) -> Bool {
        isKnownTracking(name) || name.contains(UInt8(ascii: "_")) || name.hasSuffix(Bytes("id".utf8))
            || name.starts(with: "source".utf8)
    }

    private func isNeeded(_ name: Bytes) -> Bool {
        Self.neededEverywhere.contains(name)
            || Self.neededBySite.contains { site, names in isHost(site) && names.contains(name) }
    }

    /// Tells whether the host is the site or below it.
    private func isHost(_ site: Bytes) -> Bool { host == site || host.hasSuffix([UInt8(ascii: ".")] + site) }

    private static let neededEverywhere = names("q search search_query lang list page text type")

    private static let neededBySite: [(Bytes, Set<Bytes>)] = [
        ("aliexpress.com", "SearchText catId minPrice maxPrice"), ("amazon.com", "i rh k"), ("baidu.com", "wd"),
        ("bing.com", "mkt"), ("github.com", "author diff ref w"), ("play.google.com", "id"), ("reddit.com", "t"),
        ("wikipedia.com", "oldid uselang"), ("x.com", "f"), ("yahoo.com", "p"), ("youtube.com", "v t"), ("youtu.be", "t"),
    ].map { site, list in (Bytes(site.utf8), names(list)) }

    private static let trackingPrefixes = names(
        """
        ad af camp cmp dc dev ef_ fb gad_ gc gdf hsa_ igsh li matomo_ mc_ mkwid msc mtm_ pcrid piwik_ pk_ prom ref s_kw si \
        src srs trk_ tw utm ycl
        """)

    private static func names(_ list: String) -> Set<Bytes> { Set(list.split(separator: " ").map { Bytes($0.utf8) }) }
}

extension Bytes {
    fileprivate func hasSuffix(_ other: Bytes) -> Bool { suffix(other.count).elementsEqual(other) }
}
