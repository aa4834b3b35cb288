// A C interface to the part of RE2 that Parley uses: compile, match with groups, and match many patterns in one pass.
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

/// The match of a group: byte offsets into the text, or -1 when the group took no part.
typedef struct {
    ptrdiff_t start;
    ptrdiff_t end;
} cre2_range;

/// Compiles a pattern; never returns null. `max_memory` bounds the compiled program and its caches, in bytes.
cre2_pattern *cre2_compile(const char *pattern, size_t length, bool case_sensitive, int64_t max_memory);
void cre2_release(cre2_pattern *pattern);
/// Returns the error of a pattern, valid as long as the pattern; null when it compiled.
const char *cre2_error(const cre2_pattern *pattern);
/// Returns the part of the pattern that the error is about, possibly empty; valid as long as the pattern.
const char *cre2_error_argument(const cre2_pattern *pattern);
int cre2_group_count(const cre2_pattern *pattern);
/// Returns the name of a group, counted from 1; null if it has none.
const char *cre2_group_name(const cre2_pattern *pattern, int group);
/// Fills `groups` (0 is the whole match) with up to `count` ranges. Returns whether the pattern matches.
bool cre2_match(const cre2_pattern *pattern, const char *text, size_t length, cre2_range *groups, int count);

cre2_set *cre2_set_new(int64_t max_memory);
void cre2_set_release(cre2_set *set);
/// Adds a pattern. Returns its index in the set, or -1 when it does not compile.
int cre2_set_add(cre2_set *set, const char *pattern, size_t length);
/// Compiles the set. To be called once, after the last pattern. Returns false when the set does not fit `max_memory`.
bool cre2_set_compile(cre2_set *set);
/// Writes up to `count` indices of matching patterns, ascending. Returns their number, or -1 when memory ran out.
int cre2_set_match(const cre2_set *set, const char *text, size_t length, int *indices, int count);

#ifdef __cplusplus
}
#endif

#endif
