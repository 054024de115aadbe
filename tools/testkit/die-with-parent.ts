import { spawnSync } from 'node:child_process';

import type { OsUser } from './server-user.ts';

let isPossible: boolean | null = null;

/**
 * The prefix of a command by which the kernel ends it with the process that started it, however that process ends. Empty
 * where the system has no such way: there, only the clean-up ends the command.
 */
export function dieWithParent(signal: 'INT' | 'QUIT' | 'KILL', user?: OsUser): string[] {
  isPossible ??= spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;
  if (!isPossible) return [];
  const become =
    user === undefined ? [] : ['--reuid', `${user.uid}`, '--regid', `${user.gid}`, '--clear-groups'];
  return ['setpriv', ...become, '--pdeathsig', signal];
}
