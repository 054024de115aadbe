import { spawnSync } from 'node:child_process';

import type { OsUser } from './server-user.ts';

let isPossible: boolean | null = null;

/**
 * What to put before a command so that the kernel ends it with the process that started it, however that ends. Nothing
 * where the system has no such way: there, only the clean-up ends it.
 */
export function dieWithParent(signal: 'INT' | 'QUIT' | 'KILL', user?: OsUser): string[] {
  isPossible ??= spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;
  if (!isPossible) return [];
  const become =
    user === undefined ? [] : ['--reuid', `${user.uid}`, '--regid', `${user.gid}`, '--clear-groups'];
  return ['setpriv', ...become, '--pdeathsig', signal];
}
