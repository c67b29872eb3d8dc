// libmicrohttpd's variadic functions. Static inline: a program that does not link the library must not need its symbols.
#ifndef SLUICE_SHIMS_MICROHTTPD_H
#define SLUICE_SHIMS_MICROHTTPD_H

#include <microhttpd.h>
#include <sys/epoll.h>

// MHD_start_daemon with an array of options that ends with MHD_OPTION_END.
static inline struct MHD_Daemon *sluice_mhd_start(
    unsigned int flags, MHD_AcceptPolicyCallback policy, MHD_AccessHandlerCallback handler, void *context, struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, 0, policy, context, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline const union MHD_ConnectionInfo *sluice_mhd_connection_info(
    struct MHD_Connection *connection, enum MHD_ConnectionInfoType type) {
    return MHD_get_connection_info(connection, type);
}

static inline const union MHD_DaemonInfo *sluice_mhd_daemon_info(struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type) {
    return MHD_get_daemon_info(daemon, type);
}

// epoll(7), which Glibc's module leaves out.
static inline int sluice_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int sluice_epoll_add(int set, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int sluice_epoll_remove(int set, int descriptor) { return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, NULL); }

// Waits until at least one descriptor can be read and stores up to 64 of them. Returns how many.
static inline int sluice_epoll_wait(int set, int *descriptors) {
    struct epoll_event events[64];
    int count = epoll_wait(set, events, 64, -1);
    for (int index = 0; index < count; index++) descriptors[index] = events[index].data.fd;
    return count;
}

#endif
