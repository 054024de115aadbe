import { describe } from '@jest/globals';

import { findPgBouncer } from './pgbouncer.ts';

/** A suite that starts a PgBouncer, listed as skipped where the program is not installed. */
export function describeWithPgBouncer(name: string, suite: () => void): void {
  if (findPgBouncer() !== null) return describe(name, suite);
  process.stderr.write('SKIPPED: pgbouncer is not installed; apt-get install pgbouncer\n');
  describe.skip(`${name} [skipped: pgbouncer is not installed]`, suite);
}
