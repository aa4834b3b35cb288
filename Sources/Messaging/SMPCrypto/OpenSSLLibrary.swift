internal import COpenSSL

/// The OpenSSL of this process.
package enum OpenSSLLibrary {
    /// Must be called before anything else of OpenSSL is used; calling it again does nothing.
    ///
    /// Left to itself OpenSSL takes itself apart when `exit` is called, while event loops and detached tasks still use it: a process
    /// that ended with connections open would crash instead. The system frees what it holds anyway.
    package static func prepare() { _ = isPrepared }

    private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
