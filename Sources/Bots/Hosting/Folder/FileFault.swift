internal import Foundation

/// The reason why a file or folder could not be used, as a text of the operating system.
package enum FileFault {
    /// Returns the text of the system's error that underlies an error of Foundation, if there is one.
    package static func text(_ error: any Error) -> String {
        var next: (any Error)? = error, depth = 0
        while let current = next, depth < 8 {
            if let system = current as? POSIXError { return String(cString: strerror(system.code.rawValue)) }
            let bridged = current as NSError
            if bridged.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(truncatingIfNeeded: bridged.code))) }
            next = bridged.userInfo[NSUnderlyingErrorKey] as? any Error
            depth += 1
        }
        return error.localizedDescription
    }
}
