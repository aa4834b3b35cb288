/// Media types by file name extension: they do not prove the content.
enum MediaType {
    /// The type of a file; `application/octet-stream` for an ending that is not known.
    static func type(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    /// Tells whether any type that a file name can have fits.
    static func hasOne(where fits: (String) -> Bool) -> Bool { fits(unknown) || types.values.contains(where: fits) }

    private static let unknown = "application/octet-stream"

    private static let types = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "heic": "image/heic", "heif": "image/heif",
        "avif": "image/avif", "bmp": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff", "svg": "image/svg+xml", "ico": "image/vnd.microsoft.icon",
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "mkv": "video/matroska", "avi": "video/vnd.avi",
        "mpg": "video/mpeg", "mpeg": "video/mpeg", "3gp": "video/3gpp",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "wav": "audio/wav",
        "flac": "audio/flac", "mid": "audio/midi",
        "txt": "text/plain", "log": "text/plain", "md": "text/markdown", "csv": "text/csv", "html": "text/html", "htm": "text/html", "css": "text/css",
        "ics": "text/calendar", "vcf": "text/vcard", "js": "text/javascript",
        "json": "application/json", "xml": "application/xml", "yaml": "application/yaml", "yml": "application/yaml", "pdf": "application/pdf",
        "epub": "application/epub+zip", "rtf": "application/rtf", "doc": "application/msword", "xls": "application/vnd.ms-excel",
        "ppt": "application/vnd.ms-powerpoint", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "odt": "application/vnd.oasis.opendocument.text",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odp": "application/vnd.oasis.opendocument.presentation",
        "zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar", "7z": "application/x-7z-compressed", "rar": "application/vnd.rar",
        "bz2": "application/x-bzip2", "xz": "application/x-xz", "jar": "application/java-archive",
        "apk": "application/vnd.android.package-archive", "exe": "application/vnd.microsoft.portable-executable",
        "msi": "application/x-msi", "dmg": "application/x-apple-diskimage", "iso": "application/vnd.efi.iso", "deb": "application/vnd.debian.binary-package",
        "sh": "application/x-sh", "bat": "application/x-bat", "ps1": "application/x-powershell",
    ]
}
