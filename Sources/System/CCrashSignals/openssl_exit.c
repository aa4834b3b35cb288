#include <openssl/crypto.h>

// Programs that do not link OpenSSL have nothing to keep.
#pragma weak OPENSSL_init_crypto

// OpenSSL frees its locks when a process exits. Threads that are still working then, such as those that make keys in advance, would use freed locks:
// a program that has done its work would end by a segmentation fault. The kernel takes the memory back all the same.
__attribute__((constructor)) static void parley_keep_openssl_until_the_end(void) {
    if (OPENSSL_init_crypto) OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
