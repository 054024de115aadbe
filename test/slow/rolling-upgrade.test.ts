import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';

import type { Consumer } from '../../tools/chaos/ledger.ts';
import { collect, settle } from '../../tools/chaos/run.ts';
import { COUNTS, judge, type Evidence } from '../../tools/chaos/verdict.ts';
import { Cleanup } from '../../tools/testkit/cleanup.ts';
import { MAIN } from '../../tools/testkit/paybell-process.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { buildNext, makeCareless, makeRefused, NEXT } from '../support/other-release.ts';
import { openRollingStage, type RollingReplicas, type RollingStage } from '../support/rolling-stage.ts';

/** How long both releases run together at each stage. */
const TOGETHER_MS = 4_000;
const ERROR_LEVEL = /"level":(?:50|60|"error"|"fatal")/;
/** The time in which the writes of a killed process still arrive, through the broker and on a busy machine. */
const UNDER_WAY_MS = 1_000;
/** Consumers that get each event by an attempt of delivery, which a kill may repeat. */
const DELIVERED: readonly Consumer[] = ['shop', 'second shop', 'subscriber'];

const cleanup = new Cleanup();
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-rolling-'));
afterEach(async () => expect(await cleanup.run()).toEqual([]), 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

function newFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

function openStage(name: string): Promise<RollingStage> {
  return openRollingStage(MAIN, brokerUrl(), newFolder(name), cleanup);
}

/** Replaces one replica after another, from release `from` to `to`, with a crash of the last one while both releases run. */
async function roll(replicas: RollingReplicas, from: string, to: string): Promise<void> {
  const [first, second] = replicas.all;
  await replicas.roll(first, to);
  await sleep(TOGETHER_MS);
  await replicas.kill(second, from);
  await sleep(TOGETHER_MS);
  await replicas.roll(second, to);
  await sleep(TOGETHER_MS / 2);
}

/** Events that arrived twice, although no process was killed between the arrivals or just before the first. */
function repeatedWithoutKill(
  { arrivals }: Pick<Evidence, 'arrivals'>,
  killedAt: readonly number[],
): string[] {
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

/**
 * Waits until everything has settled. No event may be lost, doubled, out of order or wrong, and no caller may have met an
 * error.
 */
async function expectNothingWrong(stage: RollingStage): Promise<Evidence> {
  const { replicas } = stage;
  await settle(stage);
  const evidence = await collect(stage);
  expect(replicas.errors).toEqual([]);
  expect(judge(evidence)).toEqual(Object.fromEntries(COUNTS.map((name) => [name, []])));
  expect(repeatedWithoutKill(evidence, replicas.killedAt)).toEqual([]);
  return evidence;
}

describeWithBroker('a rolling upgrade', () => {
  let next: string;
  beforeAll(async () => {
    next = await buildNext(newFolder('next'));
  }, 300_000);

  it('to a next release and back under load, with a kill -9 in each direction: no error to callers, nothing lost, doubled, reordered or wrong', async () => {
    const stage = await openStage('rolled');
    const { replicas, database } = stage;
    await sleep(TOGETHER_MS / 2);
    await roll(replicas, MAIN, next);
    await roll(replicas, next, MAIN);
    const evidence = await expectNothingWrong(stage);

    expect([0, 1].flatMap((index) => stage.log(index).filter((line) => ERROR_LEVEL.test(line)))).toEqual([]);
    // Without these kills and changes the test would show nothing.
    expect(replicas.killedAt).toHaveLength(2);
    expect(evidence.played.length).toBeGreaterThan(10);
    const releases = await database.query('SELECT DISTINCT recorded_by FROM payment ORDER BY recorded_by');
    expect(releases).toEqual([{ recorded_by: '' }, { recorded_by: NEXT }]);
  }, 420_000);

  it('to a release that gives a function other parameters under its name is refused, and the former one runs on', async () => {
    const refused = makeRefused(newFolder('refused'));
    const stage = await openStage('beside-refused');
    const { replicas } = stage;
    const [, second] = replicas.all;
    expect(await second.stop()).toBe(0);
    second.start(refused);
    const isRefused = (line: string): boolean =>
      line.includes('record_polls has other parameters than before');
    await waitFor(() => stage.log(1).some(isRefused), { timeoutMs: 60_000, what: 'the refusal' });
    expect(await second.isReady()).toBe(false);
    await second.stop();
    await replicas.start(second, MAIN);
    await expectNothingWrong(stage);
  }, 420_000);

  it('to a release that changes what a function takes under its name shows here as events that come again and again', async () => {
    const careless = makeCareless(newFolder('careless'));
    const { replicas, ledger } = await openStage('beside-careless');
    await replicas.roll(replicas.all[0], careless);
    const isNoticed = (): boolean => repeatedWithoutKill(ledger, []).length > 0;
    await waitFor(isNoticed, { timeoutMs: 60_000, what: 'an event that comes again' });
  }, 420_000);
});
