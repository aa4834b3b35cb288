/// An entry of a feed, as far as a post needs it.
struct FeedEntry: Sendable, Hashable {
    /// The identifier that the feed gives it; without one the link, and without a link the title.
    var id = ""
    var title = ""
    var link = ""

    /// The largest title of a post, in bytes: the rest is cut off at a character.
    static let titleLimit = 500
    /// The largest link, in bytes; an entry with a longer one is posted without it.
    static let linkLimit = 2_000

    /// The text of its post.
    var text: String {
        var shown = title
        while shown.utf8.count > Self.titleLimit { shown.removeLast() }
        if shown != title { shown += "…" }
        return link.isEmpty || link.utf8.count > Self.linkLimit ? shown : "\(shown)\n\(link)"
    }

    /// The entry with what it lacks; nil for one that nothing can be posted of.
    var completed: FeedEntry? {
        var entry = self
        if !["https://", "http://"].contains(where: link.hasPrefix) { entry.link = "" }
        if entry.id.isEmpty { entry.id = entry.link.isEmpty ? title : entry.link }
        if entry.title.isEmpty { entry.title = entry.link }
        return entry.title.isEmpty ? nil : entry
    }
}
