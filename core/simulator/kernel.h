// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One binary for every x86-64: the loader picks the widest version of the kernel that the processor runs.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define NNPIPER_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define NNPIPER_KERNEL
#endif
