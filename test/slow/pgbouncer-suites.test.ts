import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { expect, it } from '@jest/globals';

import { serverUrl } from '../support/database.ts';
import { describeWith } from '../support/describe-with.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WITHIN_MS = 240_000;

/** Tests that depend on locks, claims, leases, migrations and the order of the log, and tests of whole services. */
const FILES = [
  'contract/known-schema',
  'contract/database-functions',
  'contract/database-history',
  'contract/event-log-order',
  'contract/labels',
  'contract/postgres-deliveries',
  'contract/postgres-recording',
  'contract/provider-rate-limit',
  'contract/quotes.contract',
  'contract/schedule',
  'e2e/database-faults',
  'e2e/database-readiness',
  'e2e/kill',
  'e2e/replicas',
].map((name) => `test/${name}`);

describeWith('pgbouncer', 'PgBouncer in transaction mode before every test database', () => {
  it(
    'fails no test of those about locks, claims, migrations and whole services',
    async () => {
      const { status, printed } = await runJest();
      expect(status === 0 ? '' : printed).toBe('');
    },
    WITHIN_MS,
  );
});

/** Runs `TEST_PGBOUNCER=transaction npm test` on the server of this run. */
async function runJest(): Promise<{ status: number | null; printed: string }> {
  const child = spawn('npm', ['run', 'jest', '--silent', '--', '--maxWorkers=1', ...FILES], {
    cwd: ROOT,
    env: { ...process.env, TEST_DATABASE_URL: serverUrl(), TEST_PGBOUNCER: 'transaction' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, printed };
}
