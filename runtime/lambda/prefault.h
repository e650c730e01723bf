// Memory that a start is about to touch, in one system call instead of a page fault for each page.
#pragma once

namespace trainwarden::lambda {

// The next 56 KiB of the heap and 16 KiB of the stack, about what a start with the shipped policy
// takes. Call it first in main. Nothing is lost where the kernel cannot do it (before Linux 5.14):
// the pages come one by one then.
// https://man7.org/linux/man-pages/man2/madvise.2.html (MADV_POPULATE_WRITE)
void prefault();

}  // namespace trainwarden::lambda
