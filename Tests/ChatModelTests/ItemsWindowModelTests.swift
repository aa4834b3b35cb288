import ChatAPI
import TestSupport
import Testing

@testable import ChatModel

/// A window never claims more than it was told, in whatever order items come, go and are paged through.
@Suite struct ItemsWindowModelTests {
    /// A chat as its core has it, oldest item first.
    private struct Core {
        var items: [ChatItem] = []
        var lastID: Int64 = 0
        var lastTime: Int64 = 0

        /// An item that was sent after all others.
        mutating func next() -> ChatItem {
            lastID += 1
            lastTime += 10
            let item = Samples.item(ChatItemID(lastID), createdAt: lastTime)
            items.append(item)
            return item
        }

        /// An item that was sent some time ago and comes now.
        mutating func late(_ random: inout SplitMix64) -> ChatItem {
            lastID += 1
            let item = Samples.item(ChatItemID(lastID), createdAt: Int64.random(in: 1...lastTime, using: &random))
            let order = ItemsWindow(byItemTime: true)
            items.insert(item, at: items.firstIndex { order.precedes(item, $0) } ?? items.count)
            return item
        }

        func page(_ pagination: ChatPagination) -> (items: [ChatItem], navigation: NavigationInfo?) {
            func index(_ id: ChatItemID) -> Int { items.firstIndex { $0.id == id } ?? 0 }
            switch pagination {
            case .last(let count), .initial(let count): return (Array(items.suffix(count)), nil)
            case .before(let id, let count): return (Array(items[..<index(id)].suffix(count)), nil)
            case .after(let id, let count): return (Array(items[(index(id) + 1)...].prefix(count)), nil)
            case .around(let id, let count):
                let end = min(items.count, index(id) + count + 1)
                return (Array(items[max(0, index(id) - count)..<end]), NavigationInfo(afterTotal: items.count - end))
            }
        }
    }

    /// What is wrong with what a window claims of a chat; nil if it is all true.
    private func fault(_ window: ItemsWindow, _ core: Core, limit: Int) -> String? {
        let truth = core.items.map(\.id)
        var end = 0
        for run in window.runs {
            guard let first = run.items.first, let start = truth.firstIndex(of: first.id), start >= end else {
                return "\(run.items.first?.id ?? 0) is out of place"
            }
            end = start + run.items.count
            guard end <= truth.count, Array(truth[start..<end]) == run.items.map(\.id) else { return "there is a gap after \(first.id)" }
        }
        if window.count != window.items.count || window.count > limit { return "\(window.count) items" }
        if window.reachesNewest, !window.runs.isEmpty, window.newest?.id != truth.last { return "the newest item is not loaded" }
        if window.reachesOldest, !window.runs.isEmpty, window.items.first?.id != truth.first { return "the oldest item is not loaded" }
        if window.reachesNewest, window.reachesOldest, window.runs.count == 1, window.count != truth.count { return "not all items are loaded" }
        return window.reachesNewest && window.reachesOldest && window.runs.isEmpty && !truth.isEmpty ? "the chat is not empty" : nil
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7] as [UInt64]) func whatAWindowClaimsIsTrue(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for byItemTime in [false, true] {
            for limit in [4, 15, 1_000] {
                var core = Core()
                for _ in 0..<Int.random(in: 0...40, using: &random) { _ = core.next() }
                var window = ItemsWindow(limit: limit, byItemTime: byItemTime)
                for step in 0..<120 {
                    let deed = change(&window, &core, byItemTime, &random)
                    if let fault = fault(window, core, limit: limit) {
                        Issue.record("seed \(seed), limit \(limit), step \(step), after \(deed): \(fault); \(window.runs.map { $0.items.map(\.id) })")
                        break
                    }
                }
            }
        }
    }

    private func change(_ window: inout ItemsWindow, _ core: inout Core, _ byItemTime: Bool, _ random: inout SplitMix64) -> String {
        let count = Int.random(in: 1...8, using: &random)
        guard let item = core.items.randomElement(using: &random) else {
            window.append(core.next())
            return "the first item"
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: window.append(core.next())
        // Of an item that comes late it is known where it belongs only while the end of the chat is known.
        case 2 where byItemTime && window.reachesNewest && !window.runs.isEmpty: window.append(core.late(&random))
        case 3, 4:
            core.items.removeAll { $0.id == item.id }
            window.remove(item.id)
            return "removing \(item.id)"
        default:
            // Pages are asked for from items that are loaded, or around one that a search has found.
            let loaded = window.items.randomElement(using: &random)?.id ?? item.id
            let paginations: [ChatPagination] = [.last(count), .before(loaded, count: count), .after(loaded, count: count), .around(item.id, count: count)]
            let pagination = paginations[Int.random(in: paginations.indices, using: &random)]
            let page = core.page(pagination)
            window.add(page: page.items, pagination: pagination, navigation: page.navigation)
            return "\(pagination)"
        }
        return "an item"
    }

    private func window(_ items: ClosedRange<Int64>, around id: Int64, of total: Int64) -> ItemsWindow {
        var window = ItemsWindow()
        window.add(
            page: items.map { Samples.item(ChatItemID($0)) }, pagination: .around(ChatItemID(id), count: 2),
            navigation: NavigationInfo(afterTotal: Int(total - items.upperBound)))
        return window
    }

    @Test func theNewestItemIsNotKnownAfterTheOneThatStoodAloneIsGone() {
        var window = window(3...7, around: 5, of: 20)
        window.append(Samples.item(21))
        #expect(window.reachesNewest)
        window.remove(21)
        #expect(!window.reachesNewest && window.newest?.id == 7)
        window.append(Samples.item(22))
        #expect(window.gapsBefore == [22])
    }

    @Test func theOldestItemIsNotKnownAfterTheOneThatStoodAloneIsGone() {
        var window = window(9...13, around: 11, of: 20)
        window.add(page: [Samples.item(1)], pagination: .before(2, count: 5), navigation: nil)
        #expect(window.reachesOldest)
        window.remove(1)
        #expect(!window.reachesOldest && window.items.first?.id == 9)
    }

    @Test func aPageInTheMiddleLeavesTheEndAsItWas() {
        var window = ItemsWindow()
        window.add(page: (91...100).map { Samples.item(ChatItemID(Int64($0))) }, pagination: .last(10), navigation: nil)
        window.add(page: (89...95).map { Samples.item(ChatItemID(Int64($0))) }, pagination: .around(92, count: 3), navigation: NavigationInfo(afterTotal: 5))
        #expect(window.reachesNewest && window.navigation == nil)
        window.append(Samples.item(101))
        #expect(window.gapsBefore == [])
    }

    @Test func anItemThatComesLateIntoAGapStandsAlone() {
        var window = ItemsWindow(byItemTime: true)
        func item(_ id: Int64, at time: Int64) -> ChatItem { Samples.item(ChatItemID(id), createdAt: time) }
        window.add(page: [item(1, at: 10), item(2, at: 20)], pagination: .around(1, count: 1), navigation: NavigationInfo(afterTotal: 50))
        window.add(page: [item(51, at: 510), item(52, at: 520)], pagination: .last(2), navigation: nil)
        window.append(item(60, at: 300))
        #expect(window.runs.map { $0.items.map(\.id) } == [[1, 2], [60], [51, 52]])
        window.append(item(61, at: 15))
        #expect(window.runs.map { $0.items.map(\.id) } == [[1, 61, 2], [60], [51, 52]])
        window.append(item(62, at: 5))
        #expect(window.gapsBefore == [1, 60, 51], "whether there is anything between it and the oldest that is loaded is not known")
    }
}
