const VERBS: Readonly<Record<string, string>> = {
  mkdir: 'make',
  scandir: 'read',
  open: 'open',
  rename: 'rename',
  chown: 'give away',
  chmod: 'change',
};

/** Explains to an operator why a system call on a file failed. */
export function explainFileError({ code, syscall, path, message }: NodeJS.ErrnoException): string {
  const what = path ?? 'a file';
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `this user may not ${VERBS[syscall ?? ''] ?? 'use'} ${what}`;
    case 'EROFS':
      return `${what} is on a read-only file system`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `there is no room left on the disk of ${what}`;
    case 'ENOTDIR':
      return `a part of ${what} is a file, not a folder`;
    case 'EEXIST':
      return `${what} is a file, not a folder`;
    case 'ENOENT':
      return `there can be no ${what}`;
    case undefined:
    default:
      return message;
  }
}

/** True for the error of a failed system call: the machine's state is the cause, not a bug of ours. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
