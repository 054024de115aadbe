import { spawnSync } from 'node:child_process';

import type { OsUser } from './server-user.ts';

let isPossible: boolean | null = null;

/**
 * The prefix of a command that makes the kernel end the command with its parent process, at any end of it. Empty on a system
 * without this feature: there only the clean-up ends the command.
 */
export function dieWithParent(signal: 'INT' | 'QUIT' | 'KILL', user?: OsUser): string[] {
  isPossible ??= spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;
  if (!isPossible) return [];
  const become =
    user === undefined ? [] : ['--reuid', `${user.uid}`, '--regid', `${user.gid}`, '--clear-groups'];
  return ['setpriv', ...become, '--pdeathsig', signal];
}
