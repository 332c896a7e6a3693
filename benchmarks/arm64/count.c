// A plugin of QEMU: keeps the number of instructions that an emulated program has executed, of all its threads, in a
// file of 8 bytes.
//
//     qemu-aarch64 -plugin count.so,into=FILE PROGRAM

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// From the qemu-plugin.h of QEMU 7.2, which Debian has no package of.
struct qemu_plugin_tb;
enum { QEMU_PLUGIN_CB_NO_REGS };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*translated)(uint64_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          void (*executed)(unsigned, void *), int flags,
                                          void *data);

int qemu_plugin_version = 1;
static _Atomic uint64_t *count;

static void executed(unsigned thread, void *instructions) {
    (void)thread;
    atomic_fetch_add_explicit(count, (uintptr_t)instructions, memory_order_relaxed);
}

static void translated(uint64_t id, struct qemu_plugin_tb *block) {
    (void)id;
    void *instructions = (void *)qemu_plugin_tb_n_insns(block);
    qemu_plugin_register_vcpu_tb_exec_cb(block, executed, QEMU_PLUGIN_CB_NO_REGS, instructions);
}

int qemu_plugin_install(uint64_t id, const void *info, int arguments, char **argument) {
    (void)info;
    static const char into[] = "into=";
    if (arguments != 1 || strncmp(argument[0], into, sizeof into - 1) != 0) return -1;
    int file = open(argument[0] + sizeof into - 1, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *count) != 0) {
        perror(argument[0]);
        return -1;
    }
    count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (count == MAP_FAILED) return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
