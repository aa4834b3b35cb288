import EncryptedSQLite
import Testing

@testable import Hosting

/// Which parts of a data folder belong together.
@Suite struct FolderDecisionTests {
    private static let id = "a1", other = "b2"
    private static let all = FolderPart.allCases

    private func mark(_ generation: Int64 = 7, folder: String = id, backup: String? = nil) -> FolderPartState {
        .marked(FolderMark(folder: folder, generation: generation, parts: Self.all.map(\.rawValue), backup: backup))
    }

    private func manifest(_ generation: Int64 = 7, isRaising: Bool = false, parts: [FolderPart] = all) -> FolderManifest {
        FolderManifest(folder: Self.id, generation: generation, isRaising: isRaising, parts: parts)
    }

    private func inventory(_ manifest: FolderManifest?, _ state: (FolderPart) -> FolderPartState) -> FolderInventory {
        FolderInventory(manifest: manifest, parts: Dictionary(uniqueKeysWithValues: Self.all.map { ($0, state($0)) }))
    }

    private func fault(_ inventory: FolderInventory) -> FolderFault? {
        do throws(FolderFault) {
            _ = try FolderDecision(inventory)
            return nil
        } catch {
            return error
        }
    }

    @Test func aFolderWhosePartsAgreeGoesOn() throws {
        #expect(try FolderDecision(inventory(manifest()) { _ in mark() }) == .proceed(manifest()))
    }

    @Test(arguments: FolderPart.allCases)
    func everyPartThatIsNeededIsMissedIfItIsGoneEmptyForeignOrOlder(_ part: FolderPart) {
        let cases: [(FolderPartState, FolderFault.Kind)] = [
            (.absent, .missing), (.empty, .empty), (.unmarked, .foreign), (mark(folder: Self.other), .foreign), (mark(6), .older), (mark(1), .older),
        ]
        for (state, kind) in cases {
            let found = fault(inventory(manifest()) { $0 == part ? state : mark() })
            #expect(found == FolderFault(kind, part), "\(state)")
            // Without the manifest, what the databases say of the folder counts.
            guard part != .chat || kind != .foreign else { continue }
            #expect(fault(inventory(nil) { $0 == part ? state : mark() }) != nil, "\(state) without a manifest")
        }
        #expect(fault(inventory(manifest()) { $0 == part ? mark(8) : mark() }) == FolderFault(.manifestOlder, nil))
    }

    @Test func aManifestThatIsGoneIsMadeFromPartsThatAgree() throws {
        #expect(try FolderDecision(inventory(nil) { _ in mark() }) == .proceed(manifest()))
    }

    /// The process may end between any two marks.
    @Test func whileTheGenerationIsRaisedPartsHaveTheNewOneOrTheOneBefore() throws {
        let raising = manifest(8, isRaising: true)
        for subset in 0..<(1 << Self.all.count) {
            func state(_ part: FolderPart) -> FolderPartState { mark(subset & 1 << (Self.all.firstIndex(of: part) ?? 0) == 0 ? 7 : 8) }
            #expect(try FolderDecision(inventory(raising, state)) == .proceed(raising))
        }
        #expect(fault(inventory(raising) { $0 == .agent ? mark(6) : mark(8) }) == FolderFault(.older, .agent))
    }

    @Test func aFolderWithoutIdentityGetsOneUnlessADatabaseIsGone() throws {
        #expect(try FolderDecision(inventory(nil) { _ in .absent }) == .new)
        #expect(try FolderDecision(inventory(nil) { $0 == .bots ? .empty : .absent }) == .new)
        #expect(try FolderDecision(inventory(nil) { _ in .unmarked }) == .adopt)
        #expect(try FolderDecision(inventory(nil) { [.chat, .agent].contains($0) ? .unmarked : .absent }) == .adopt)
        #expect(try FolderDecision(inventory(nil) { $0 == .router ? .unmarked : .absent }) == .adopt)
        for (part, state, kind) in [
            (FolderPart.chat, FolderPartState.absent, FolderFault.Kind.missing), (.agent, .absent, .missing), (.chat, .empty, .empty), (.agent, .empty, .empty),
            (.bots, .empty, .empty),
        ] {
            #expect(fault(inventory(nil) { $0 == part ? state : .unmarked }) == FolderFault(kind, part))
        }
    }

    /// A process that ended while it made the folder has left any part in any state.
    @Test func whatIsNotNeededYetMayBeInTheMaking() throws {
        let making = manifest(1, isRaising: true, parts: [])
        let states: [FolderPartState] = [.absent, .empty, .unmarked, mark(1)]
        for chat in states {
            for agent in states {
                for router in states {
                    let found = inventory(making) { $0 == .chat ? chat : $0 == .agent ? agent : $0 == .router ? router : .absent }
                    #expect(try FolderDecision(found) == .proceed(making))
                }
            }
        }
    }

    @Test func allCopiesOfOneBackupAreARestoredFolderAndOneAloneIsNot() throws {
        func copies(_ parts: [FolderPart]) -> (FolderPart) -> FolderPartState { { parts.contains($0) ? mark(5, backup: "k") : mark(7) } }
        let databases = Self.all.filter(\.isDatabase)
        #expect(try FolderDecision(inventory(manifest(), copies(databases))) == .restore(manifest()))
        for part in databases {
            #expect(fault(inventory(manifest(), copies([part]))) == FolderFault(.loneCopy, part))
            #expect(fault(inventory(manifest(), copies(databases.filter { $0 != part }))) != nil)
            // Of two backups, each is older or newer than the other.
            let mixed = inventory(manifest()) { $0 == part ? mark(5, backup: "other") : copies(databases)($0) }
            #expect(fault(mixed)?.kind == .loneCopy)
        }
        // Put into an empty folder.
        guard case .restore(let made) = try FolderDecision(inventory(nil) { $0.isDatabase ? mark(5, backup: "k") : mark(5) }) else {
            Issue.record("it is not restored")
            return
        }
        #expect(made.backup == "k" && made.folder == Self.id)
        #expect(fault(inventory(nil) { $0.isDatabase ? mark(5, backup: "k") : .absent }) == FolderFault(.missing, .router))
    }

    @Test func theFirstStartOfARestoredFolderIsFinishedWhereverItEnded() throws {
        var starting = FolderManifest(folder: Self.other, generation: 6, isRaising: true, parts: Self.all)
        starting.previous = Self.id
        starting.backup = "k"
        for subset in 0..<(1 << Self.all.count) {
            func state(_ part: FolderPart) -> FolderPartState {
                let isDone = subset & 1 << (Self.all.firstIndex(of: part) ?? 0) != 0
                return isDone ? mark(6, folder: Self.other) : mark(5, backup: part.isDatabase ? "k" : nil)
            }
            #expect(try FolderDecision(inventory(starting, state)) == .restore(starting))
        }
        #expect(fault(inventory(starting) { $0 == .agent ? mark(9, folder: "c3") : mark(6, folder: Self.other) }) == FolderFault(.foreign, .agent))
    }
}
