#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension [UInt8] {
    /// The form in which SQLite takes bytes.
    var blob: Data { Data(self) }
}
