import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from '@jest/globals';

import { describeWith } from '../support/describe-with.ts';

import { readOptions } from '../../tools/chaos/options.ts';
import { runChaos } from '../../tools/chaos/run.ts';
import { breachesOf, failureOf, tableOf } from '../../tools/chaos/table.ts';
import { Cleanup } from '../../tools/testkit/cleanup.ts';

/** The plan of faults and the payments' stories; `npm run chaos` takes it too. */
const SEED = 14;
const KILLS = 16;
const OPTIONS = readOptions(['--seed', SEED, '--minutes', 2, '--kills', KILLS, '--faults', 8].map(String));

const cleanup = new Cleanup();
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-chaos-test-'));
afterAll(async () => {
  const problems = await cleanup.run();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  expect(problems).toEqual([]);
}, 60_000);

describeWith(['postgresql', 'faketime', 'rabbitmq'], `two minutes of chaos, seed ${SEED}`, () => {
  it('lose, double and reorder nothing, and keep the gap and the rate limit', async () => {
    chmodSync(folder, 0o755);
    const lines: string[] = [];
    const run = await runChaos(OPTIONS, folder, cleanup, (line) => lines.push(line));
    process.stdout.write(`${tableOf(run)}\n`);
    if (breachesOf(run).length > 0) throw new Error(`${lines.join('\n')}\n${failureOf(run, folder)}`);
    expect(run.stage.replicas.kills).toBe(KILLS);
  }, 600_000);
});
