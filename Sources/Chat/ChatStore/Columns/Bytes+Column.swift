#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension [UInt8] {
    /// The form in which SQLite takes bytes.
    package var blob: Data { Data(self) }
}
