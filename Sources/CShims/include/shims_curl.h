// curl's variadic functions, one name per type of argument. Inline, so that a program without curl links nothing of it.
#ifndef SLUICE_SHIMS_CURL_H
#define SLUICE_SHIMS_CURL_H

#include <curl/curl.h>

typedef size_t (*sluice_curl_receiver)(char *bytes, size_t size, size_t count, void *context);

static const long sluice_curl_global_all = CURL_GLOBAL_ALL;

static inline CURLcode sluice_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode sluice_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode sluice_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode sluice_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode sluice_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode sluice_curl_set_receiver(CURL *easy, CURLoption option, sluice_curl_receiver value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode sluice_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode sluice_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// A finished transfer's result lies in a union.
static inline CURLcode sluice_curl_message_result(const CURLMsg *message) { return message->data.result; }

#endif
