import Testing

@testable import Hosting

/// Links that a phone can use, and others.
@Suite struct LinkReachTests {
    @Test(arguments: [
        "https://127.0.0.1/a#bgxKNuMh_-azbY?p=26981&c=QrvhSaorq2dY3YYvAbyRBQL4CxKmmaYMzeE8qF_8c6g", "https://localhost/i#a/b?p=1&c=2", "https://[::1]/a#b",
        "simplex:/a#bgx?h=127.0.0.1&p=5223&c=x", "https://127.0.0.53:443/g#x", "smp://fingerprint=@127.0.0.1:5223", "xftp://fingerprint@localhost:443",
        "https://simplex.chat/contact#/?v=2-7&smp=smp%3A%2F%2FQrvhSaor%3D%40127.0.0.1%3A26981%2FabcDEF%23%2F%3Fv%3D1-4%26dh%3DMCow",
    ]) func loopbackLinksAreForThisMachine(_ link: String) {
        #expect(LinkReach.isLocal(link))
    }

    @Test(arguments: [
        "https://smp.example.org/a#x?c=y", "https://smp4.simplex.im/a#127.0.0.1", "simplex:/a#bgx?h=bots.example.org,127.0.0.1&c=x", "https://10.0.0.7/a#x", "",
        "https://simplex.chat/contact#/?smp=smp%3A%2F%2FQrv%40smp4.simplex.im%2Fabc%23", "https://127.0.0.1.example.org/a#x", "hello", "https://1270.0.0.1/a#b",
        "smp://fingerprint:password@router.example.org,127.0.0.1:5223",
    ]) func othersAreNot(_ link: String) {
        #expect(!LinkReach.isLocal(link))
    }
}
