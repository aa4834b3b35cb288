public import ChatAPI

/// Pages of a chat, put together. Where pages do not touch there is a gap; it closes when a page that covers it is added.
public struct ItemsWindow: Sendable, Hashable {
    /// Items without gaps between them, oldest first.
    public struct Run: Sendable, Hashable {
        /// The items, at least one.
        public internal(set) var items: [ChatItem]
    }

    /// The runs, oldest first; there is a gap between each two.
    public private(set) var runs: [Run] = []
    /// True if the last run continues to the newest item of the chat.
    public private(set) var reachesNewest = false
    /// True if the first run begins with the oldest item of the chat.
    public private(set) var reachesOldest = false
    /// The core's counts of the items beyond the newest that is loaded, reported with a page.
    public private(set) var navigation: NavigationInfo?

    private let limit: Int
    private let byItemTime: Bool
    private var ids: Set<ChatItemID> = []

    /// An empty window.
    ///
    /// - Parameters:
    ///   - limit: How many items it holds at most; those farthest from the newest are dropped.
    ///   - byItemTime: Whether items are in the order in which they were sent, as in groups, or stored, as in other chats.
    public init(limit: Int = 1000, byItemTime: Bool = false) {
        self.limit = max(1, limit)
        self.byItemTime = byItemTime
    }

    /// All items, oldest first, across gaps.
    public var items: [ChatItem] { runs.flatMap(\.items) }

    /// The number of items.
    public var count: Int { ids.count }

    /// The newest item that is loaded.
    public var newest: ChatItem? { runs.last?.items.last }

    /// The ids of the items before which there is a gap.
    public var gapsBefore: [ChatItemID] { runs.dropFirst().compactMap { $0.items.first?.id } }

    /// Checks whether an item is loaded.
    public func contains(_ id: ChatItemID) -> Bool { ids.contains(id) }

    /// The item, if it is loaded.
    public subscript(_ id: ChatItemID) -> ChatItem? {
        guard let (run, index) = position(of: id) else { return nil }
        return runs[run].items[index]
    }
}

extension ItemsWindow {
    /// Replaces an item that is loaded.
    ///
    /// - Returns: true if it is.
    @discardableResult mutating func update(_ item: ChatItem) -> Bool {
        guard let (run, index) = position(of: item.id) else { return false }
        runs[run].items[index] = item
        return true
    }

    /// Changes items that are loaded.
    ///
    /// - Returns: true if anything is different.
    mutating func updateAll(_ change: (inout ChatItem) -> Void) -> Bool {
        var isChanged = false
        for run in runs.indices {
            for index in runs[run].items.indices {
                let before = runs[run].items[index]
                change(&runs[run].items[index])
                if runs[run].items[index] != before { isChanged = true }
            }
        }
        return isChanged
    }

    /// Removes an item.
    ///
    /// - Returns: The item, if it was loaded.
    @discardableResult mutating func remove(_ id: ChatItemID) -> ChatItem? {
        guard let (run, index) = position(of: id) else { return nil }
        let item = runs[run].items.remove(at: index)
        ids.remove(id)
        if runs[run].items.isEmpty { removeEmptyRun(run) }
        return item
    }

    /// The runs beside an empty one reach neither end of the chat.
    private mutating func removeEmptyRun(_ run: Int) {
        runs.remove(at: run)
        // All items of the chat were loaded, and none is left.
        if runs.isEmpty, reachesNewest, reachesOldest { return }
        if run == 0 { reachesOldest = false }
        if run == runs.count { reachesNewest = false }
    }

    /// Adds an item that came or was sent just now. If the newest items are not loaded, it is alone after a gap, and so does an item that comes late, if
    /// it belongs into a gap.
    mutating func append(_ item: ChatItem) {
        guard !update(item) else { return }
        ids.insert(item.id)
        let next = runs.firstIndex { run in run.items.last.map { precedes(item, $0) } ?? false }
        if let next {
            let index = runs[next].items.firstIndex { precedes(item, $0) } ?? 0
            if index > 0 || next == 0 && reachesOldest {
                runs[next].items.insert(item, at: index)
            } else {
                runs.insert(Run(items: [item]), at: next)
            }
        } else {
            if reachesNewest, !runs.isEmpty {
                runs[runs.count - 1].items.append(item)
            } else {
                runs.append(Run(items: [item]))
            }
            reachesNewest = true
        }
        if navigation != nil, reachesNewest { navigation = NavigationInfo() }
        trim()
    }

    /// Removes all items except the head of the chat, after the chat was cleared.
    mutating func clear() {
        let kept = items.filter { $0.content == .chatBanner }
        runs = kept.isEmpty ? [] : [Run(items: kept)]
        ids = Set(kept.map(\.id))
        navigation = nil
        reachesNewest = true
        reachesOldest = reachesOldest || !kept.isEmpty
    }

    /// The order of items in the chat.
    func precedes(_ left: ChatItem, _ right: ChatItem) -> Bool {
        let (one, other) =
            byItemTime
            ? (left.meta.itemTimestamp, right.meta.itemTimestamp) : (left.meta.createdAt, right.meta.createdAt)
        return one == other ? left.id < right.id : one < other
    }

    private func position(of id: ChatItemID) -> (run: Int, index: Int)? {
        guard ids.contains(id) else { return nil }
        for run in runs.indices.reversed() {
            if let index = runs[run].items.lastIndex(where: { $0.id == id }) { return (run, index) }
        }
        return nil
    }

    /// Drops the oldest items beyond the limit.
    private mutating func trim() {
        while ids.count > limit, let first = runs.first {
            let surplus = min(ids.count - limit, first.items.count)
            for item in first.items.prefix(surplus) { ids.remove(item.id) }
            if surplus == first.items.count {
                runs.removeFirst()
            } else {
                runs[0].items.removeFirst(surplus)
            }
            reachesOldest = false
        }
    }
}

extension ItemsWindow {
    /// Adds a page as the core answered with it.
    ///
    /// - Parameters:
    ///   - page: The items, oldest first, without gaps.
    ///   - pagination: The requested page.
    ///   - navigation: The core's information about the items beyond the page.
    mutating func add(page: [ChatItem], pagination: ChatPagination, navigation: NavigationInfo?) {
        var run = page
        switch pagination {
        case .last(let count):
            reachesNewest = false
            merge(&run, after: nil, before: nil)
            reachesNewest = true
            if page.count < count { reachesOldest = true }
        case .after(let id, let count):
            merge(&run, after: id, before: nil)
            if page.count < count, newest?.id == run.last?.id ?? id { reachesNewest = true }
        case .before(let id, let count):
            merge(&run, after: nil, before: id)
            if page.count < count, runs.first?.items.first?.id == run.first?.id ?? id { reachesOldest = true }
        case .around, .initial:
            merge(&run, after: nil, before: nil)
            // What lies behind a page in the middle of what is loaded tells nothing about the end.
            if let navigation, newest?.id == page.last?.id { reachesNewest = navigation.afterTotal == 0 }
        }
        if let navigation, newest?.id == page.last?.id { self.navigation = navigation }
        trim()
    }

    /// Puts a run among the others, joined with those that it touches.
    private mutating func merge(_ run: inout [ChatItem], after: ChatItemID?, before: ChatItemID?) {
        guard !run.isEmpty else { return }
        let added = Set(run.map(\.id))
        var touching: [Run] = []
        runs.removeAll { other in
            let touches =
                other.items.contains { added.contains($0.id) } || (after != nil && other.items.contains { $0.id == after })
                || (before != nil && other.items.contains { $0.id == before })
            if touches { touching.append(other) }
            return touches
        }
        // The page is newer than what was loaded.
        let kept = touching.flatMap(\.items).filter { !added.contains($0.id) }
        run = (run + kept).sorted { precedes($0, $1) }
        ids.formUnion(added)
        let index = runs.firstIndex { other in
            guard let first = run.first, let otherFirst = other.items.first else { return false }
            return precedes(first, otherFirst)
        }
        runs.insert(Run(items: run), at: index ?? runs.count)
    }
}
