# The result of a module's tests in one line, from the output of `swift test`: the line of Swift Testing if all tests ran, else how many were
# skipped and why. Swift Testing counts skipped tests among those that passed.
/^➜ Test / {
    skipped++
    reason = $0
    if (!sub(/^.* skipped: /, "", reason)) reason = "no reason given"
    gsub(/"/, "", reason)
    if (!(reason in seen)) { seen[reason] = 1; reasons = reasons (reasons == "" ? "" : "; ") reason }
}
/Test run with/ { line = $0; for (i = 1; i < NF; i++) if ($i == "with") total = $(i + 1) }
END {
    if (skipped == 0) print line
    else if (skipped >= total) printf "➜ Skipped, none of %d tests ran: %s\n", total, reasons
    else printf "%s %d of its tests were skipped: %s\n", line, skipped, reasons
}
