internal import COpenSSL

/// The OpenSSL of this process.
package enum OpenSSLLibrary {
    /// Prepares OpenSSL. Must be called before any other use of OpenSSL; further calls do nothing.
    ///
    /// By default, `exit` makes OpenSSL free its state while event loops and detached tasks still use it: a process that ends with open
    /// connections would crash. The system frees the memory anyway.
    package static func prepare() { _ = isPrepared }

    private static let isPrepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
