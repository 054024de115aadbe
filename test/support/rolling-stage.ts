import { randomBytes } from 'node:crypto';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { connect } from 'amqplib';

import { Buyers } from '../../tools/chaos/buyers.ts';
import { Ledger, type Breach } from '../../tools/chaos/ledger.ts';
import { PollWatch } from '../../tools/chaos/poll-watch.ts';
import { StoryProvider } from '../../tools/chaos/provider.ts';
import type { NextReplica } from '../../tools/chaos/readers.ts';
import { Replica } from '../../tools/chaos/replica.ts';
import { play, PLAY_EVERY_MS, type Settling } from '../../tools/chaos/run.ts';
import { API_KEY, LIMITS, SETTINGS } from '../../tools/chaos/settings.ts';
import { Shop } from '../../tools/chaos/shop.ts';
import { addEndpoint, openReaders } from '../../tools/chaos/stage.ts';
import { makeStory, type Story } from '../../tools/chaos/stories.ts';
import { Random } from '../../tools/simulation/random.ts';
import type { Cleanup } from '../../tools/testkit/cleanup.ts';
import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { createEmptyDatabase, type TestDatabase } from './database.ts';
import { Onlooker } from './onlooker.ts';

const SEED = 7;
const PAYMENTS_A_MINUTE = 60;
const GAP_MS = 500;
const READY_WITHIN_MS = 60_000;
/** A change that is seen minutes later, by the late watch, is no matter of releases. */
const LONG_STORIES = new Set(['late', 'mended']);
const HURRY = 4;

/** Two replicas behind a balancer that follows /health/ready; each replica may run any release. */
export class RollingReplicas {
  /** The errors of ready replicas to requests without a fault. */
  readonly errors: string[] = [];
  readonly ended: Breach[] = [];
  /** When a replica was killed. */
  readonly killedAt: number[] = [];
  private readonly inTurn = new Set<PaybellService>();
  private readonly stopping = new Set<PaybellService>();
  private turn = 0;

  constructor(readonly all: readonly [Replica, Replica]) {}

  /** The next running replica in turn that was ready before. */
  readonly next: NextReplica = () => {
    const among = this.all.filter(({ isRunning, current }) => isRunning && this.inTurn.has(current));
    this.turn += 1;
    const { current } = among[this.turn % among.length] ?? this.all[0];
    return { fetch: (...request) => this.watch(current, current.fetch(...request)) };
  };

  async start(replica: Replica, main: string): Promise<void> {
    replica.start(main);
    await waitFor(() => replica.isReady(), { timeoutMs: READY_WITHIN_MS, what: 'a replica to be ready' });
    this.inTurn.add(replica.current);
  }

  /** Replaces a process like a rolling update: sends SIGTERM, then starts another process. */
  async roll(replica: Replica, main: string): Promise<void> {
    this.stopping.add(replica.current);
    const ending = await replica.stop();
    if (ending !== 0)
      this.ended.push({ at: Date.now(), quoteId: null, text: `SIGTERM ended a replica with ${ending}` });
    await this.start(replica, main);
  }

  async kill(replica: Replica, main: string): Promise<void> {
    this.killedAt.push(Date.now());
    await replica.kill9();
    await this.start(replica, main);
  }

  async ready(): Promise<void> {
    await waitFor(async () => (await Promise.all(this.all.map((each) => each.isReady()))).every(Boolean));
  }

  private async watch(process: PaybellService, answering: Promise<Response>): Promise<Response> {
    const answer = await answering;
    // An earlier try of the request, which a kill cut off, may still be under way.
    if (answer.status < 400 || answer.status === 409) return answer;
    const text = await answer.clone().text();
    // A stopping process ends its streams and opens none, as docs/using/errors.md says.
    const isNoStream = this.stopping.has(process) && text.includes('"streams_full"');
    if (!isNoStream) this.errors.push(`${answer.url} answered ${answer.status}: ${text}`);
    return answer;
  }
}

export interface RollingStage extends Settling {
  readonly replicas: RollingReplicas;
  readonly database: TestDatabase;
  /** The log lines of a replica, by all of its releases. */
  log(index: number): string[];
}

/** Load and consumers around two replicas of the release at `main`; resolves at the answer to the first quote. */
export async function openRollingStage(
  main: string,
  brokerUrl: string,
  folder: string,
  cleanup: Cleanup,
): Promise<RollingStage> {
  const random = new Random(SEED);
  const provider = await StoryProvider.start(random.fork(), quickStory);
  cleanup.add(() => provider.close());
  const database = await createEmptyDatabase();
  cleanup.add(() => database.drop());
  const watch = new PollWatch({ ...LIMITS, minGapMs: GAP_MS });
  cleanup.add(() => watch.close());
  const exchange = `paybell_rolling_${randomBytes(5).toString('hex')}`;
  cleanup.add(() => removeExchange(brokerUrl, exchange));
  const targets = { database: database.url, broker: brokerUrl, provider: provider.url };
  const settings = { ...SETTINGS, ...FASTER, RABBITMQ_EXCHANGE: exchange };
  const logOf = (index: number): string => join(folder, `replica-${index}.log`);
  const make = (index: number): Promise<Replica> =>
    Replica.make(targets, settings, API_KEY, null, openSync(logOf(index), 'a'));
  const replicas = new RollingReplicas([await make(0), await make(1)]);
  for (const replica of replicas.all) {
    replica.links.provider?.tap(watch.newTap);
    cleanup.add(() => replica.close());
  }
  await Promise.all(replicas.all.map((replica) => replicas.start(replica, main)));
  const ledger = new Ledger();
  for (const name of ['shop', 'second shop'] as const) {
    const shop = await Shop.open(name, ledger);
    cleanup.add(() => shop.close());
    await addEndpoint(replicas.next, shop, shop.port);
  }
  await openReaders(replicas.next, brokerUrl, exchange, ledger, cleanup);
  const buyers = new Buyers(replicas.next, PAYMENTS_A_MINUTE, random.fork());
  const playing = setInterval(() => play({ provider, ledger }), PLAY_EVERY_MS);
  cleanup.add(() => clearInterval(playing));
  cleanup.add(() => buyers.close());
  await buyers.ask();
  buyers.start();
  const onlooker = new Onlooker(replicas.next, buyers);
  cleanup.add(() => onlooker.close());
  const log = (index: number): string[] => readFileSync(logOf(index), 'utf8').split('\n');
  return { replicas, database, provider, ledger, watch, buyers, broker: {}, log };
}

const FASTER = {
  POLL_INTERVAL_MS: '700',
  POLL_MIN_GAP_MS: String(GAP_MS),
  // A busy machine makes no repetition.
  WEBHOOK_TIMEOUT_MS: '10000',
  WEBHOOK_ALLOW_HTTP: 'true',
};

/** A short story with a provider without errors: only a release may cause an error. */
function quickStory(random: Random): Story {
  const story = makeStory(random);
  if (LONG_STORIES.has(story.name)) return quickStory(random);
  const steps = story.steps.map((step) => ({ ...step, forMs: step.forMs / HURRY }));
  return { ...story, steps, flakiness: 0 };
}

async function removeExchange(url: string, exchange: string): Promise<void> {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  await channel.deleteQueue(`${exchange}.events`);
  await channel.deleteExchange(exchange);
  await connection.close();
}
