import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { collect, settle } from '../../tools/chaos/run.ts';
import type { Consumer } from '../../tools/chaos/ledger.ts';
import { COUNTS, judge, type Evidence } from '../../tools/chaos/verdict.ts';
import { Cleanup } from '../../tools/testkit/cleanup.ts';
import { MAIN } from '../../tools/testkit/paybell-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { buildRelease } from '../support/release-build.ts';
import { openRollingStage, type RollingReplicas } from '../support/rolling-stage.ts';

const FORMER = '0.1.0';
/** How long both releases run together at each stage. */
const TOGETHER_MS = 4_000;
const ERROR_LEVEL = /"level":(?:50|60|"error"|"fatal")/;
/** What a killed process has written still arrives, through the broker and a busy machine. */
const UNDER_WAY_MS = 1_000;
/** Who learns of an event by an attempt to deliver it, which a kill may repeat. */
const DELIVERED: readonly Consumer[] = ['shop', 'second shop', 'subscriber'];

const cleanup = new Cleanup();
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-rolling-'));
afterAll(async () => {
  const problems = await cleanup.run();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  expect(problems).toEqual([]);
}, 60_000);

/** From `from` to `to` one after the other, and a crash of the one that is still to be replaced while both releases run. */
async function roll(replicas: RollingReplicas, from: string, to: string): Promise<void> {
  const [first, second] = replicas.all;
  await replicas.roll(first, to);
  await sleep(TOGETHER_MS);
  await replicas.kill(second, from);
  await sleep(TOGETHER_MS);
  await replicas.roll(second, to);
  await sleep(TOGETHER_MS / 2);
}

/** Events that came again though no process was killed between the two arrivals, nor just before the first. */
function repeatedWithoutKill({ arrivals }: Evidence, killedAt: readonly number[]): string[] {
  return DELIVERED.flatMap((name) => {
    const last = new Map<string, number>();
    return (arrivals.get(name) ?? []).flatMap(({ at, event }) => {
      const before = last.get(event.id);
      last.set(event.id, at);
      if (before === undefined) return [];
      if (killedAt.some((kill) => kill >= before - UNDER_WAY_MS && kill <= at)) return [];
      const sinceKills = killedAt.map((kill) => before - kill).join(' and ');
      return [
        `${event.quoteId} #${event.sequence} came to the ${name} ${sinceKills} ms after the kills, and again after ${at - before} ms`,
      ];
    });
  });
}

describeWithBroker('a rolling upgrade', () => {
  let former: string;
  beforeAll(async () => {
    const source = join(folder, 'former');
    mkdirSync(source);
    former = await buildRelease(FORMER, source);
  }, 300_000);

  it(`from ${FORMER} and back under load, with a kill -9 in each direction: no error to callers, nothing lost, doubled, reordered or wrong`, async () => {
    const stage = await openRollingStage(former, brokerUrl(), folder, cleanup);
    const { replicas } = stage;
    await sleep(TOGETHER_MS / 2);
    await roll(replicas, former, MAIN);
    await roll(replicas, MAIN, former);
    await settle(stage);
    const evidence = await collect(stage);

    expect(replicas.errors).toEqual([]);
    const verdict = judge(evidence);
    expect(verdict).toEqual(Object.fromEntries(COUNTS.map((name) => [name, []])));
    expect(repeatedWithoutKill(evidence, replicas.killedAt)).toEqual([]);
    expect([0, 1].flatMap((index) => stage.log(index).filter((line) => ERROR_LEVEL.test(line)))).toEqual([]);
    // Without these the test would show nothing.
    expect(replicas.killedAt).toHaveLength(2);
    expect(evidence.played.length).toBeGreaterThan(10);
  }, 420_000);
});
