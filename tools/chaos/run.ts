import type { Cleanup } from '../testkit/cleanup.ts';
import { waitFor } from '../testkit/wait-for.ts';
import type { Carriers } from './carriers.ts';
import { Faults, type Happened } from './faults.ts';
import { CONSUMERS, readEvent } from './ledger.ts';
import type { ChaosOptions } from './options.ts';
import { planOf } from './plan.ts';
import { readLog, sleep, type NextReplica } from './readers.ts';
import { openStage, type Stage } from './stage.ts';
import type { Playable } from './provider.ts';
import type { ProofStage } from './proof/proof-stage.ts';
import { finalProofOf } from './proof/proven-stories.ts';
import type { Replicas } from './replicas.ts';
import { finalStatusOf } from './stories.ts';
import { judge, type Evidence, type Verdict } from './verdict.ts';

/** The time between two checks whether a payment's next step is due. */
export const PLAY_EVERY_MS = 50;
/** Long enough for the poll that sees a late change, which may come minutes after the last one. */
const SETTLED_WITHIN_MS = 300_000;
/** If everything has arrived and no message came for this long, duplicates would have come too. */
const QUIET_MS = 4_000;

/** The results of a run. */
export interface Run {
  readonly options: ChaosOptions;
  readonly stage: Stage;
  readonly happened: readonly Happened[];
  readonly evidence: Evidence;
  readonly verdict: Verdict;
  readonly settledInMs: number;
}

/** The parts of a stage that settle after the faults, and that the verdict reads. */
export type Settling = Pick<Stage, 'ledger' | 'watch' | 'provider' | 'buyers'> & {
  /** Null where nothing is published. */
  readonly broker: object | null;
  /** Left out with one provider. */
  readonly carriers?: Pick<Carriers, 'watches'> | null;
  /** Left out where no chain proves anything. */
  readonly proof?: Pick<ProofStage, 'mode' | 'chain'> | null;
  readonly replicas: Pick<Replicas, 'ended' | 'ready'> & { readonly next: NextReplica };
};

/** Plays the payments' stories through all planned faults, lets everything heal and settle, and judges. */
export async function runChaos(
  options: ChaosOptions,
  folder: string,
  cleanup: Cleanup,
  log: (line: string) => void,
): Promise<Run> {
  log('starting PostgreSQL with a standby, RabbitMQ, a provider, two shops and the replicas');
  const stage = await openStage(options, folder, cleanup);
  const playing = setInterval(() => play(stage), PLAY_EVERY_MS);
  cleanup.add(() => clearInterval(playing));
  const faults = new Faults(stage, log);
  cleanup.add(() => faults.stop());
  stage.buyers.start();
  await Promise.all([faults.run(planOf(options)), sleep(options.minutes * 60_000)]);
  log('no more faults: waiting until everything has settled');
  const settledInMs = await settle(stage);
  const evidence = await collect(stage);
  return { options, stage, happened: faults.happened, evidence, verdict: judge(evidence), settledInMs };
}

/** Lets each payment take the step that is due. */
export function play({ provider, ledger }: Pick<Stage, 'provider' | 'ledger'>): void {
  const isKnown = ({ quoteId, story, step }: Playable): boolean => {
    const event = story.steps[step]?.event ?? null;
    return event === null || ledger.knows(quoteId, event);
  };
  for (const payment of provider.payments.values()) if (!payment.isOver) payment.advance(isKnown);
}

/** Returns how long it took. A run that does not settle is judged by its present state. */
export async function settle(stage: Settling): Promise<number> {
  const startedAt = Date.now();
  await stage.replicas.ready();
  await stage.buyers.close();
  let quietSince = Date.now();
  let before = '';
  const isSettled = (): boolean => {
    const now = stage.ledger.counts().join();
    if (now !== before) quietSince = Date.now();
    before = now;
    return isFullyDelivered(stage) && Date.now() - quietSince >= QUIET_MS;
  };
  await waitFor(isSettled, { timeoutMs: SETTLED_WITHIN_MS, everyMs: 250 }).catch(() => undefined);
  return Date.now() - startedAt;
}

/** True when each story has ended, its end has arrived, and all consumers have the same number of events. */
function isFullyDelivered({ ledger, provider, buyers, broker }: Settling): boolean {
  const counts = ledger.counts().filter((_, index) => broker !== null || CONSUMERS[index] !== 'subscriber');
  if (new Set(counts).size > 1) return false;
  return [...buyers.answered].every((quoteId) => {
    const payment = provider.payments.get(quoteId);
    if (payment?.isOver !== true || ledger.statusOf(quoteId) !== finalStatusOf(payment.story)) return false;
    const proof = finalProofOf(payment.story);
    return proof === null || ledger.knows(quoteId, proof);
  });
}

/** Collects a judge's evidence from a settled stage. */
export async function collect({
  provider,
  buyers,
  ledger,
  watch,
  replicas,
  broker,
  carriers,
  proof = null,
}: Settling): Promise<Evidence> {
  const watches = [watch, ...(carriers?.watches ?? [])];
  const bodies = await readLog(replicas.next);
  const arrivals = new Map(ledger.arrivals);
  if (broker === null) arrivals.delete('subscriber');
  return {
    played: [...buyers.answered].flatMap((quoteId) => provider.payments.get(quoteId) ?? []),
    arrivals,
    log: bodies.flatMap((body) => readEvent(body) ?? []),
    stored: await readStatuses(replicas),
    refused: ledger.refused,
    tooClose: watches.flatMap(({ tooClose }) => tooClose),
    tooMany: watches.flatMap(({ tooMany }) => tooMany),
    twoQuotes: buyers.breaches,
    ended: replicas.ended,
    proof: proof && { mode: proof.mode, transactions: proof.chain.transactions },
  };
}

interface Page {
  readonly data: readonly { readonly quoteId: string; readonly status: string }[];
  readonly nextCursor: string | null;
}

async function readStatuses({ next }: Settling['replicas']): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await next().fetch(`/api/payments?limit=100${after}`);
    const { data, nextCursor } = (await answer.json()) as Page;
    for (const { quoteId, status } of data) stored.set(quoteId, status);
    cursor = nextCursor;
  }
  return stored;
}
