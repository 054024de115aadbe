import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from '@jest/globals';

import { describeWith } from '../support/describe-with.ts';

import { readOptions } from '../../tools/chaos/options.ts';
import { type Run, runChaos } from '../../tools/chaos/run.ts';
import { breachesOf, failureOf, tableOf } from '../../tools/chaos/table.ts';
import { Cleanup } from '../../tools/testkit/cleanup.ts';

/** The seed of the plan of faults and of the payments' stories; `npm run chaos` takes it too. */
const SEED = 14;
const KILLS = 16;
const TWO_MINUTES = ['--seed', SEED, '--minutes', 2].map(String);

const cleanups: Cleanup[] = [];
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-chaos-test-'));
afterAll(async () => {
  const problems = await Promise.all(cleanups.map((cleanup) => cleanup.run()));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  expect(problems.flat()).toEqual([]);
});

/** Plays a run whose counts must all be 0; resolves at its end. */
async function wellBehaved(name: string, args: readonly string[]): Promise<Run> {
  const cleanup = new Cleanup();
  cleanups.push(cleanup);
  const own = join(folder, name);
  mkdirSync(own);
  for (const each of [folder, own]) chmodSync(each, 0o755);
  const lines: string[] = [];
  const run = await runChaos(readOptions(args), own, cleanup, (line) => lines.push(line));
  process.stdout.write(`${tableOf(run)}\n`);
  if (breachesOf(run).length > 0) throw new Error(`${lines.join('\n')}\n${failureOf(run, own)}`);
  expect(await cleanup.run()).toEqual([]);
  return run;
}

describeWith(['postgresql', 'faketime', 'rabbitmq', 'root'], `two minutes of chaos, seed ${SEED}`, () => {
  it('lose, double and reorder nothing, and keep the gap and the rate limit', async () => {
    const faults = ['--kills', KILLS, '--faults', 8].map(String);
    const run = await wellBehaved('one', [...TWO_MINUTES, ...faults]);
    expect(run.stage.replicas.kills).toBe(KILLS);
  }, 600_000);

  it('nor with four providers of different limits, one of which dies and comes back', async () => {
    const faults = ['--kills', 8, '--faults', 4].map(String);
    const { stage, happened } = await wellBehaved('four', [...TWO_MINUTES, ...faults, '--providers']);
    expect(happened.filter(({ fault }) => fault.kind === 'death')).toHaveLength(1);
    for (const { polls } of [stage.watch, ...(stage.carriers?.watches ?? [])])
      expect(polls).toBeGreaterThan(20);
  }, 600_000);

  it('nor complete anything without proof while RPCs lie, lag, fork and go away', async () => {
    const faults = ['--kills', 8, '--faults', 12].map(String);
    const { happened } = await wellBehaved('proof', [...TWO_MINUTES, ...faults, '--proof', 'require']);
    expect(happened.filter(({ fault }) => fault.kind === 'rpc').length).toBeGreaterThan(3);
  }, 600_000);
});
