#include "cre2.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

struct cre2_pattern {
    RE2 expression;
    std::string error_argument;

    cre2_pattern(const re2::StringPiece &text, const RE2::Options &options)
        : expression(text, options), error_argument(expression.error_arg()) {}
};

struct cre2_set {
    RE2::Set set;

    explicit cre2_set(const RE2::Options &options) : set(options, RE2::UNANCHORED) {}
};

namespace {
RE2::Options options_with(bool case_sensitive, int64_t max_memory) {
    RE2::Options options;
    options.set_case_sensitive(case_sensitive);
    options.set_log_errors(false);
    options.set_max_mem(max_memory);
    return options;
}
}  // namespace

extern "C" {

cre2_pattern *cre2_compile(const char *pattern, size_t length, bool case_sensitive, int64_t max_memory) {
    return new cre2_pattern(re2::StringPiece(pattern, length), options_with(case_sensitive, max_memory));
}

void cre2_release(cre2_pattern *pattern) { delete pattern; }

const char *cre2_error(const cre2_pattern *pattern) {
    return pattern->expression.ok() ? nullptr : pattern->expression.error().c_str();
}

const char *cre2_error_argument(const cre2_pattern *pattern) { return pattern->error_argument.c_str(); }

int cre2_group_count(const cre2_pattern *pattern) { return pattern->expression.NumberOfCapturingGroups(); }

const char *cre2_group_name(const cre2_pattern *pattern, int group) {
    const std::map<int, std::string> &names = pattern->expression.CapturingGroupNames();
    auto name = names.find(group);
    return name == names.end() ? nullptr : name->second.c_str();
}

bool cre2_match(const cre2_pattern *pattern, const char *text, size_t length, cre2_range *groups, int count) {
    // Most patterns have few groups, and need no heap memory.
    std::array<re2::StringPiece, 8> few;
    std::vector<re2::StringPiece> many;
    re2::StringPiece *pieces = few.data();
    if (static_cast<size_t>(count) > few.size()) {
        many.resize(static_cast<size_t>(count));
        pieces = many.data();
    }
    const re2::StringPiece subject(text, length);
    if (!pattern->expression.Match(subject, 0, length, RE2::UNANCHORED, pieces, count)) return false;
    for (int index = 0; index < count; index++) {
        const re2::StringPiece &piece = pieces[index];
        if (piece.data() == nullptr) {
            groups[index] = {-1, -1};
        } else {
            const ptrdiff_t start = piece.data() - text;
            groups[index] = {start, start + static_cast<ptrdiff_t>(piece.size())};
        }
    }
    return true;
}

cre2_set *cre2_set_new(int64_t max_memory) { return new cre2_set(options_with(true, max_memory)); }

void cre2_set_release(cre2_set *set) { delete set; }

int cre2_set_add(cre2_set *set, const char *pattern, size_t length) {
    return set->set.Add(re2::StringPiece(pattern, length), nullptr);
}

bool cre2_set_compile(cre2_set *set) { return set->set.Compile(); }

int cre2_set_match(const cre2_set *set, const char *text, size_t length, int *indices, int count) {
    std::vector<int> matches;
    RE2::Set::ErrorInfo info = {RE2::Set::kNoError};
    const bool matched = set->set.Match(re2::StringPiece(text, length), &matches, &info);
    if (!matched) return info.kind == RE2::Set::kNoError ? 0 : -1;
    std::sort(matches.begin(), matches.end());
    const int written = std::min(count, static_cast<int>(matches.size()));
    std::copy_n(matches.begin(), written, indices);
    return written;
}

}  // extern "C"
