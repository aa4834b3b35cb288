import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import XFTPProtocol

@testable import XFTPServer

/// The state of a file router against the simplest thing that could be right, over random histories.
@Suite struct FileStoreModelTests {
    /// What is known of a chunk.
    private struct Expected: Equatable {
        var info: FileInfo
        var recipients: Set<EntityID> = []
        var isUploaded = false
        var blocked: BlockingInfo?
    }

    private struct History {
        let random: SeededRandomSource
        var store = FileStore()
        var expected: [EntityID: Expected] = [:]
        var records: [FileJournalRecord] = []

        init(seed: UInt64) { random = SeededRandomSource(seed: seed) }

        func number(_ bound: Int) -> Int { Int(UInt16(random.bytes(1)[0]) << 8 | UInt16(random.bytes(1)[0])) % max(1, bound) }
        func id() -> EntityID { EntityID(random.bytes(24)) }
        /// One of the chunks, or now and then one that is not there.
        func chunk() -> EntityID {
            number(8) == 0 || expected.isEmpty ? id() : expected.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }[number(expected.count)]
        }

        mutating func apply(_ record: FileJournalRecord) {
            store.apply(record)
            records.append(record)
            // A journal may hold a record twice.
            if number(4) == 0 { store.apply(record) }
        }

        mutating func step() {
            let id = chunk()
            switch number(7) {
            case 0:
                let key = FileStoreModelTests.key
                let info = FileInfo(senderKey: key, size: ChunkPlan.sizes[number(4)], digest: random.bytes(32))
                let new = self.id(), recipient = self.id()
                apply(.file(id: new, info, created: 0, [FileRecipient(id: recipient, key: key)]))
                expected[new] = Expected(info: info, recipients: [recipient])
            case 1, 2:
                let recipients = (0..<number(5)).map { _ in FileRecipient(id: self.id(), key: FileStoreModelTests.key) }
                apply(.recipients(of: id, recipients))
                expected[id]?.recipients.formUnion(recipients.map(\.id))
            case 3:
                apply(.uploaded(id))
                if expected[id]?.blocked == nil { expected[id]?.isUploaded = true }
            case 4:
                guard let recipient = expected[id]?.recipients.first else { return apply(.acknowledged(recipient: id)) }
                apply(.acknowledged(recipient: recipient))
                expected[id]?.recipients.remove(recipient)
            case 5:
                let info = BlockingInfo(reason: number(2) == 0 ? .spam : .content)
                apply(.blocked(id, info))
                expected[id]?.blocked = info
                expected[id]?.isUploaded = false
            default:
                guard number(3) == 0 else { return }
                apply(.deleted(id))
                expected[id] = nil
            }
        }
    }

    private static let key = PublicAuthKey.ed25519(Ed25519.generateKeyPair(SeededRandomSource(seed: 90)).publicKey)

    private func compare(_ store: FileStore, _ expected: [EntityID: Expected], _ comment: Comment) {
        #expect(Set(store.files.keys) == Set(expected.keys), comment)
        for (id, chunk) in expected {
            let file = store.file(sender: id)
            let found = file.map { Expected(info: $0.info, recipients: Set($0.recipients.keys), isUploaded: $0.isUploaded, blocked: $0.blocked) }
            #expect(found == chunk, comment)
            #expect(chunk.recipients.allSatisfy { store.file(recipient: $0)?.id == id }, comment)
            #expect(store.file(recipient: id) == nil && store.isTaken(id), comment)
        }
        let uploaded = expected.values.filter(\.isUploaded)
        #expect(store.uploadedCount == uploaded.count, comment)
        #expect(store.uploadedBytes == uploaded.reduce(0) { $0 + Int64($1.info.size) }, comment)
        #expect(store.recipientCount == expected.values.reduce(0) { $0 + $1.recipients.count }, comment)
        #expect(store.reservedBytes == 0, comment)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func aHistoryWithRepeatedRecordsLeadsToWhatItSaysAndCanBeWrittenAnew(_ seed: UInt64) throws {
        var history = History(seed: seed)
        for _ in 0..<300 { history.step() }
        compare(history.store, history.expected, "seed \(seed)")
        // The whole journal read again, and the short one that stands for it.
        for records in [history.records, records(history.store, recipientsPerRecord: 3), records(history.store)] {
            var again = FileStore()
            for record in records { again.apply(try FileJournalRecord(code: record.code, encoded(record))) }
            compare(again, history.expected, "seed \(seed), again")
        }
    }

    private func records(_ store: FileStore, recipientsPerRecord limit: Int = 200) -> [FileJournalRecord] {
        store.files.keys.flatMap { store.records(of: $0, recipientsPerRecord: limit) }
    }

    private func encoded(_ record: FileJournalRecord) -> Bytes {
        var writer = WireWriter()
        record.encode(to: &writer)
        return writer.bytes
    }

    private static let records: [FileJournalRecord] = [
        .file(
            id: EntityID([1]), FileInfo(senderKey: key, size: 65_536, digest: Bytes(repeating: 1, count: 32)), created: 3_600,
            [FileRecipient(id: EntityID([2]), key: key)]),
        .recipients(of: EntityID([1]), [FileRecipient(id: EntityID([3]), key: key)]), .uploaded(EntityID([1])), .acknowledged(recipient: EntityID([2])),
        .deleted(EntityID([1])),
    ]

    @Test func aRecordThatIsCutOffOrHasMoreBehindItIsRefused() {
        for record in Self.records {
            let bytes = encoded(record)
            for count in bytes.indices { #expect(throws: WireError.self) { try FileJournalRecord(code: record.code, Bytes(bytes.prefix(count))) } }
            #expect(throws: WireError.self) { try FileJournalRecord(code: record.code, bytes + [0]) }
        }
        for code: UInt8 in [0, 7, 255] { #expect(throws: WireError.self) { try FileJournalRecord(code: code, encoded(Self.records[2])) } }
        for reason in ["", "reason=", "reason=other", "reason=spam,notice=x"] {
            #expect(throws: WireError.self, "\(reason)") { try FileJournalRecord(code: 6, EntityID([1]).wireBytes + Bytes(reason.utf8)) }
        }
    }

    /// A lost acknowledgement costs nothing but room until the chunk expires; all else must not be lost.
    @Test func onlyAcknowledgementsNeedNotBeOnTheDisk() {
        #expect(Self.records.map(\.mustBeSynchronized) == [true, true, true, false, true])
        #expect(FileJournalRecord.blocked(EntityID([1]), BlockingInfo(reason: .spam)).mustBeSynchronized)
    }

    /// Creation times are whole hours, so a chunk lives for its time and up to an hour more.
    @Test(arguments: [(3_599, 0), (3_600, 1), (3_601, 1), (7_199, 1), (7_200, 2), (.max, 2), (.min, 0)] as [(Int64, Int)])
    func aChunkIsExpiredWhenItsWholeHourIs(_ time: Int64, _ count: Int) {
        var store = FileStore()
        let info = FileInfo(senderKey: Self.key, size: 65_536, digest: [])
        for (id, created) in [(1, 0), (2, 3_600)] as [(UInt8, Int64)] { store.apply(.file(id: EntityID([id]), info, created: created, [])) }
        #expect(store.expired(before: time, limit: 10).count == count)
        #expect(store.expired(before: time, limit: 1).count == min(1, count))
    }

    @Test func anUploadTakesRoomForTheBytesThatHaveComeAndNoOthers() throws {
        var store = FileStore()
        try store.reserve(0, of: EntityID([1]), quota: 100)
        #expect(store.usedBytes == 0 && store.hasRoom(for: 100, quota: 100))
        try store.grow(60, quota: 100)
        #expect(!store.hasRoom(for: 41, quota: 100) && store.hasRoom(for: 40, quota: 100))
        #expect(throws: XFTPErrorType.quota) { try store.grow(41, quota: 100) }
        store.release(60, of: EntityID([1]))
        #expect(store.usedBytes == 0)
    }

    @Test func roomIsKeptForWhatIsOnItsWayAndGivenBack() throws {
        var store = FileStore()
        let info = FileInfo(senderKey: Self.key, size: 100, digest: [])
        store.apply(.file(id: EntityID([1]), info, created: 0, []))
        store.apply(.uploaded(EntityID([1])))
        // 100 bytes are there: of 300, 200 are left.
        try store.reserve(200, of: EntityID([2]), quota: 300)
        #expect(throws: XFTPErrorType.quota) { try store.reserve(1, of: EntityID([3]), quota: 300) }
        try store.reserve(1, of: EntityID([3]), quota: nil)
        store.release(1, of: EntityID([3]))
        #expect(!store.isBeingUploaded(EntityID([3])) && store.isBeingUploaded(EntityID([2])))
        store.release(200, of: EntityID([2]))
        #expect(store.usedBytes == 100)
        // What is blocked or deleted gives its room back, once.
        store.apply(.blocked(EntityID([1]), BlockingInfo(reason: .spam)))
        #expect(store.usedBytes == 0)
        store.apply(.deleted(EntityID([1])))
        #expect(store.usedBytes == 0 && store.uploadedCount == 0)
    }
}
