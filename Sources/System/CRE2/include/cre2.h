// A C face for RE2, as narrow as Parley's use of it: compile, match with groups, and match many patterns in one pass.
#ifndef PARLEY_CRE2_H
#define PARLEY_CRE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cre2_pattern cre2_pattern;
typedef struct cre2_set cre2_set;

/// Where a group matched: byte offsets into the text, or -1 when the group took no part.
typedef struct {
    ptrdiff_t start;
    ptrdiff_t end;
} cre2_range;

/// Never null. `max_memory` bounds the compiled program and its caches, in bytes.
cre2_pattern *cre2_compile(const char *pattern, size_t length, bool case_sensitive, int64_t max_memory);
void cre2_release(cre2_pattern *pattern);
/// Null when the pattern compiled; otherwise the reason, valid as long as the pattern.
const char *cre2_error(const cre2_pattern *pattern);
/// The part of the pattern that the error is about, possibly empty; valid as long as the pattern.
const char *cre2_error_argument(const cre2_pattern *pattern);
int cre2_group_count(const cre2_pattern *pattern);
/// The name of a group counted from 1, or null.
const char *cre2_group_name(const cre2_pattern *pattern, int group);
/// Fills `groups` (0 is the whole match) with up to `count` ranges.
bool cre2_match(const cre2_pattern *pattern, const char *text, size_t length, cre2_range *groups, int count);

cre2_set *cre2_set_new(int64_t max_memory);
void cre2_set_release(cre2_set *set);
/// The pattern's index in the set, or -1 when it does not compile.
int cre2_set_add(cre2_set *set, const char *pattern, size_t length);
/// Call once, after the last pattern. False when it does not fit `max_memory`.
bool cre2_set_compile(cre2_set *set);
/// Writes up to `count` indices of matching patterns, ascending. Returns how many, or -1 when memory ran out.
int cre2_set_match(const cre2_set *set, const char *text, size_t length, int *indices, int count);

#ifdef __cplusplus
}
#endif

#endif
