import ChatAPI
import TestSupport
import Testing

@testable import ChatModel

/// Pages of a chat are put together.
@Suite struct ItemsWindowTests {
    private func items(_ ids: some Sequence<Int>) -> [ChatItem] { ids.map { Samples.item(ChatItemID(Int64($0))) } }
    private func ids(_ window: ItemsWindow) -> [[Int]] { window.runs.map { $0.items.map { Int($0.id.rawValue) } } }

    /// A chat with items 1 to `count`, as a core pages through it.
    private func page(_ pagination: ChatPagination, of count: Int) -> (items: [ChatItem], navigation: NavigationInfo?) {
        switch pagination {
        case .last(let size): (items(max(1, count - size + 1)..<(count + 1)), nil)
        case .after(let id, let size): (items(Int(id.rawValue) + 1..<min(count, Int(id.rawValue) + size) + 1), nil)
        case .before(let id, let size): (items(max(1, Int(id.rawValue) - size)..<Int(id.rawValue)), nil)
        case .around(let id, let size):
            (
                items(max(1, Int(id.rawValue) - size)..<min(count, Int(id.rawValue) + size) + 1),
                NavigationInfo(afterTotal: max(0, count - Int(id.rawValue) - size))
            )
        case .initial(let size): (items(1..<min(count, size) + 1), NavigationInfo(afterTotal: max(0, count - size)))
        }
    }

    private func load(_ window: inout ItemsWindow, _ pagination: ChatPagination, of count: Int = 100) {
        let (items, navigation) = page(pagination, of: count)
        window.add(page: items, pagination: pagination, navigation: navigation)
    }

    @Test("pages backwards make one run")
    func backwards() {
        var window = ItemsWindow()
        load(&window, .last(10))
        #expect(window.reachesNewest && !window.reachesOldest)
        for _ in 0..<10 where !window.reachesOldest { load(&window, .before(window.items[0].id, count: 30)) }
        #expect(window.reachesOldest)
        #expect(ids(window) == [Array(1...100)])
        #expect(window.gapsBefore == [])
    }

    @Test("a page elsewhere makes a gap, which closes when pages meet")
    func gaps() {
        var window = ItemsWindow()
        load(&window, .last(10))
        load(&window, .around(40, count: 5))
        #expect(ids(window) == [Array(35...45), Array(91...100)])
        #expect(window.gapsBefore == [91])
        #expect(window.reachesNewest)
        load(&window, .after(45, count: 30))
        #expect(ids(window) == [Array(35...75), Array(91...100)])
        load(&window, .before(91, count: 15))
        #expect(ids(window) == [Array(35...75), Array(76...100)], "whether there is something between is not known")
        load(&window, .after(75, count: 1))
        #expect(ids(window) == [Array(35...100)])
    }

    @Test("a page that overlaps two runs joins them")
    func join() {
        var window = ItemsWindow()
        load(&window, .around(20, count: 2))
        load(&window, .around(30, count: 2))
        #expect(window.runs.count == 2 && !window.reachesNewest)
        load(&window, .after(21, count: 8))
        #expect(ids(window) == [Array(18...32)])
    }

    @Test("pages forward reach the newest item")
    func forwards() {
        var window = ItemsWindow()
        load(&window, .initial(20))
        #expect(!window.reachesNewest && window.navigation?.afterTotal == 80)
        for _ in 0..<10 where !window.reachesNewest {
            let newest = window.newest?.id ?? 0
            load(&window, .after(newest, count: 40))
        }
        #expect(window.reachesNewest)
        #expect(ids(window) == [Array(1...100)])
    }

    @Test("a new item goes to the end, or behind a gap while the end is not loaded")
    func append() {
        var live = ItemsWindow()
        load(&live, .last(3))
        live.append(Samples.item(101))
        #expect(ids(live) == [[98, 99, 100, 101]])
        var away = ItemsWindow()
        load(&away, .around(10, count: 1))
        away.append(Samples.item(101))
        #expect(ids(away) == [[9, 10, 11], [101]])
        away.append(Samples.item(102))
        #expect(ids(away) == [[9, 10, 11], [101, 102]])
    }

    @Test("an item that comes late takes its place")
    func late() {
        var window = ItemsWindow(byItemTime: true)
        window.add(page: [Samples.item(1, createdAt: 10), Samples.item(2, createdAt: 20)], pagination: .last(5), navigation: nil)
        window.append(Samples.item(3, createdAt: 15))
        #expect(ids(window) == [[1, 3, 2]])
    }

    @Test("the same item is there once, as it came last")
    func repeated() {
        var window = ItemsWindow()
        load(&window, .last(3))
        window.append(Samples.item(99, text: "changed"))
        load(&window, .around(99, count: 1))
        #expect(ids(window) == [[98, 99, 100]])
        window.add(page: [Samples.item(99, text: "again")], pagination: .around(99, count: 0), navigation: nil)
        #expect(window[99]?.meta.text == "again")
        #expect(window.count == 3)
    }

    @Test("removing items closes no gap and leaves no empty run")
    func remove() {
        var window = ItemsWindow()
        load(&window, .around(10, count: 0))
        load(&window, .last(2))
        #expect(window.remove(10)?.id == 10)
        #expect(window.remove(10) == nil)
        #expect(ids(window) == [[99, 100]])
        window.remove(100)
        #expect(window.newest?.id == 99)
    }

    @Test("the oldest items are dropped beyond the limit")
    func limit() {
        var window = ItemsWindow(limit: 10)
        load(&window, .around(5, count: 2))
        load(&window, .last(8))
        #expect(window.count == 10)
        #expect(ids(window) == [[6, 7], Array(93...100)])
        for id: Int64 in 101...200 { window.append(Samples.item(ChatItemID(id))) }
        #expect(ids(window) == [Array(191...200)])
        #expect(!window.reachesOldest)
        #expect(!window.contains(190) && window.contains(191))
    }

    @Test("an empty chat has nothing before or after")
    func empty() {
        var window = ItemsWindow()
        window.add(page: [], pagination: .last(10), navigation: nil)
        #expect(window.reachesNewest && window.reachesOldest && window.items.isEmpty)
        window.append(Samples.item(1))
        #expect(ids(window) == [[1]])
    }

    @Test("pages in any order make the same window", arguments: 0..<12)
    func anyOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var window = ItemsWindow(limit: 10_000)
        for _ in 0..<60 {
            let id = ChatItemID(Int64.random(in: 2...99, using: &random))
            let count = Int.random(in: 1...9, using: &random)
            let paginations: [ChatPagination] = [
                .before(id, count: count), .after(id, count: count), .around(id, count: count), .last(count),
            ]
            load(&window, paginations.randomElement(using: &random) ?? .last(count))
            let runs = ids(window)
            #expect(runs.flatMap(\.self) == runs.flatMap(\.self).sorted(), "items are in order")
            #expect(runs.allSatisfy { $0 == Array($0[0]...$0[$0.count - 1]) }, "no run has a gap")
            #expect(window.count == runs.joined().count)
        }
        load(&window, .last(100))
        #expect(ids(window) == [Array(1...100)])
    }
}
