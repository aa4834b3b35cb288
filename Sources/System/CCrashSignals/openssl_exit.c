#include <openssl/crypto.h>

// The symbol is weak for programs that do not link OpenSSL.
#pragma weak OPENSSL_init_crypto

// OpenSSL frees its locks when a process exits. Threads that are still running then, such as those that generate keys in advance, would use freed
// locks, and a program that has done its work would end with a segmentation fault. The kernel frees the memory anyway.
__attribute__((constructor)) static void parley_keep_openssl_until_the_end(void) {
    if (OPENSSL_init_crypto) OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
