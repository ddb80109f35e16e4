/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error numbers, Linux's own values. Functions that return int return 0 for
 * success and a negated error number otherwise.
 */
#ifndef LIB_ERRNO_H
#define LIB_ERRNO_H

#define ENOENT 2
#define ENOMEM 12
#define EFAULT 14
#define EBUSY  16
#define EEXIST 17
#define EINVAL 22
#define ENOSPC 28
#define ERANGE 34

#endif
