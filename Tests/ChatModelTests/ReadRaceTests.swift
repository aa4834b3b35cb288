import ChatAPI
import ChatProtocol
import Testing

@testable import ChatModel

/// A read whose answer comes late changes nothing back: the model then shows what the core would answer now.
@Suite(.timeLimit(.minutes(5))) struct ReadRaceTests {
    /// What is read, and by what it shows.
    enum Read: CaseIterable {
        case page, list, members

        func perform(_ model: ChatModel) async throws {
            switch self {
            case .page: try await model.loadItems(StoredCore.key, of: 1)
            case .list: _ = try await model.send(.chats(.list(user: 1)), as: 1)
            case .members: try await model.loadMembers(of: 1, user: 1)
            }
        }

        /// Compares what the read is about with the store.
        func expectCurrent(_ model: ChatModel, _ store: StoredCore.Store) async {
            let state = await model.state
            switch self {
            case .page: #expect(state.items(StoredCore.key, of: 1)?.items == store.items)
            case .list:
                let chat = state.chat(.direct(4), of: 1)
                #expect(chat?.chatItems == store.chat.chatItems)
                #expect(chat?.chatStats == store.chat.chatStats)
            case .members: #expect(state.members(of: 1, user: 1)?.all == store.members)
            }
        }
    }

    @Test(arguments: StoredCore.Hold.allCases, StoredCore.Happening.allCases)
    func whatIsReadAnewIsNotOlderThanWhatCameMeanwhile(_ hold: StoredCore.Hold, _ happening: StoredCore.Happening) async throws {
        for read in Read.allCases {
            let stored = StoredModel(), model = stored.model
            try await stored.running {
                try await model.load()
                for read in Read.allCases { try await read.perform(model) }
                try await stored.during(hold, of: read.perform) { try await stored.happen(happening) }
                let store = stored.core.now
                for read in Read.allCases { await read.expectCurrent(model, store) }
            }
        }
    }

    /// A list that is the first does not tell whether it has counted a deletion already: it is read again.
    @Test(arguments: StoredCore.Hold.allCases, StoredCore.Happening.allCases)
    func whatIsReadFirstHasWhatCameMeanwhile(_ hold: StoredCore.Hold, _ happening: StoredCore.Happening) async throws {
        for read in Read.allCases {
            let stored = StoredModel(), model = stored.model
            try await stored.running {
                _ = try await model.send(.users(.list), as: nil)
                try await stored.during(hold, of: read.perform) { try await stored.happen(happening) }
                await read.expectCurrent(model, stored.core.now)
            }
        }
    }

    @Test func anItemThatAListHasCountedIsNotCountedAgainWhenItsEventComes() async throws {
        let stored = StoredModel()
        stored.core.happen(.newItems)
        try await stored.model.load()
        try await stored.running { try await stored.happen(.newItems, after: 2) }
        await Read.list.expectCurrent(stored.model, stored.core.now)
    }

    @Test(arguments: [Read.page, .list]) func aChatThatWasDeletedMeanwhileDoesNotComeBack(_ read: Read) async throws {
        let stored = StoredModel(), model = stored.model
        try await model.load()
        try await stored.during(.afterReading, of: { try? await read.perform($0) }) {
            _ = try await model.send(.chats(.delete(.direct(4))), as: 1)
        }
        #expect(await model.state.chat(.direct(4), of: 1) == nil)
        #expect(await model.items(StoredCore.key, of: 1) == nil)
    }

    @Test func aChatThatCameMeanwhileStays() async throws {
        let stored = StoredModel(), model = stored.model, ann = Samples.contact(5)
        try await stored.running {
            try await model.load()
            try await stored.during(.afterReading, of: Read.list.perform) {
                stored.core.connect(ann)
                var iterator = stored.events.makeAsyncIterator()
                _ = try await iterator.next()
            }
            #expect(await model.state.chat(.direct(5), of: 1)?.chatInfo == .direct(contact: ann))
        }
    }

    @Test(arguments: [(1, 2), (2, 1)]) func aReadDuringWhichMoreComesThanIsKeptIsRepeated(_ limit: Int, _ reads: Int) async throws {
        let stored = StoredModel(eventLimit: limit), model = stored.model
        try await stored.running {
            try await stored.during(.afterReading, of: Read.members.perform) {
                for happening in [StoredCore.Happening.joining, .leaving] { try await stored.happen(happening) }
            }
            let store = stored.core.now
            await Read.members.expectCurrent(model, store)
            #expect(store.reads.count == reads)
        }
    }
}
