import { userInfo } from 'node:os';

import { isOtherRelease } from '../../database/connection/connection-errors.ts';
import type { AuditLog } from '../../ports/audit-log.ts';

/** The change that a command makes. */
export interface CommandChange {
  readonly action: string;
  readonly target?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Makes a change with its entry in the audit log; the exit status is the entry's result. Makes no change that cannot be
 * recorded. `isGood`: whether the command succeeds with this result.
 */
export async function audited<Result>(
  auditLog: AuditLog,
  { action, target, values = {} }: CommandChange,
  change: () => Promise<Result>,
  isGood: (result: Result) => boolean = () => true,
): Promise<Result> {
  const by = { who: systemUser(), role: null, address: null, via: 'cli' } as const;
  const id = await explained(() => auditLog.begin({ ...by, action, target: target ?? null, values }));
  // The change is made or refused already: a missing result in its entry must not change the command's output.
  const finish = (status: number): Promise<void> => auditLog.finish(id, status).catch(() => undefined);
  try {
    const result = await explained(change);
    await finish(isGood(result) ? 0 : 1);
    return result;
  } catch (error) {
    await finish(1);
    throw error;
  }
}

/** Throws an Error with a message to print if the database lacks something that this release uses. */
export async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isOtherRelease(error)) throw error;
    throw new Error('The database is of an older release: start Paybell, then repeat this command.', {
      cause: error,
    });
  }
}

/** A user without a name, as in many containers, is shown by number. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
