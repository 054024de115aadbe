import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

import { Random } from '../simulation/random.ts';
import type { Cleanup } from '../testkit/cleanup.ts';
import { PrivateBroker } from '../testkit/private-broker.ts';
import { SmallDisk } from '../testkit/small-disk.ts';
import { TcpProxy } from '../testkit/tcp-proxy.ts';
import { waitFor } from '../testkit/wait-for.ts';
import { BrokerUser } from './broker-user.ts';
import { Buyers, type Quoted } from './buyers.ts';
import { Carriers } from './carriers.ts';
import { FakedClock } from '../testkit/faked-clock.ts';
import { TOOLS } from '../testkit/machine-tools.js';
import { Ledger } from './ledger.ts';
import type { ChaosOptions } from './options.ts';
import { PollWatch } from './poll-watch.ts';
import { PostgresPair } from './postgres-pair.ts';
import { ProofStage } from './proof/proof-stage.ts';
import { provenStory } from './proof/proven-stories.ts';
import { StoryProvider } from './provider.ts';
import { FeedReader, StreamClient, type NextReplica } from './readers.ts';
import { Replica } from './replica.ts';
import { Replicas } from './replicas.ts';
import { DATABASE, EXCHANGE, LIMITS, SETTINGS, API_KEY } from './settings.ts';
import { Shop } from './shop.ts';
import { makeStory, type Story } from './stories.ts';
import { Subscriber } from './subscriber.ts';

/** The logs of many hours fit. */
const LOG_MEGABYTES = 64;
const LOG_FOLDER = 'log-';

/** All parts of a run, each on a port of its own. */
export interface Stage {
  readonly ledger: Ledger;
  readonly watch: PollWatch;
  readonly provider: StoryProvider;
  readonly database: PostgresPair;
  /** Null in a run without a broker. */
  readonly broker: PrivateBroker | null;
  /** The broker's user for publishing; null in a run without a broker. */
  readonly publisher: BrokerUser | null;
  /** The other providers; null in a run with only one. */
  readonly carriers: Carriers | null;
  /** Null: no chain proves anything. */
  readonly proof: ProofStage | null;
  readonly replicas: Replicas;
  readonly shop: Shop;
  readonly shopLink: TcpProxy;
  /** The shop that fails, while the other shop works. */
  readonly secondShop: Shop;
  readonly buyers: Buyers;
}

type Services = Pick<
  Stage,
  'ledger' | 'watch' | 'provider' | 'carriers' | 'proof' | 'database' | 'broker' | 'publisher'
>;

/** Starts all parts; `cleanup` ends them. Resolves when the first event has arrived everywhere. */
export async function openStage(options: ChaosOptions, folder: string, cleanup: Cleanup): Promise<Stage> {
  const random = new Random(options.seed);
  const services = await startServices(options, folder, random.fork(), cleanup);
  const replicas = await startReplicas(options, folder, services, cleanup);
  const shops = await openShops(replicas, services.ledger, cleanup);
  await openReaders(replicas.next, services.broker?.url ?? null, EXCHANGE, services.ledger, cleanup);
  const { carriers } = services;
  const among =
    carriers === null
      ? null
      : { names: ['http', ...carriers.names], begin: (quoted: Quoted) => carriers.begin(quoted) };
  const buyers = new Buyers(replicas.next, options.payments, random.fork(), among);
  const stage: Stage = { ...services, ...shops, replicas, buyers };
  await buyers.ask();
  const all = services.broker === null ? 4 : 5;
  await waitFor(() => services.ledger.counts().filter((count) => count > 0).length === all, {
    timeoutMs: 30_000,
    what: 'the first event to arrive everywhere',
  });
  return stage;
}

async function startServices(
  options: ChaosOptions,
  folder: string,
  random: Random,
  cleanup: Cleanup,
): Promise<Services & { move: { to: (port: number) => void } }> {
  const { proof: mode } = options;
  const proof = mode === null ? null : await ProofStage.open(mode, cleanup);
  const storyOf = (drawn: Random): Story =>
    mode === null ? makeStory(drawn) : provenStory(makeStory(drawn), mode, drawn);
  const provider = await StoryProvider.start(random, storyOf, proof?.payOut);
  cleanup.add(() => provider.close());
  const move = { to: (_port: number): void => undefined };
  const database = await PostgresPair.create(folder, (port) => move.to(port));
  cleanup.add(() => database.destroy());
  await database.query(`CREATE DATABASE ${DATABASE}`);
  const broker = options.without.has('broker') ? null : await PrivateBroker.start(folder);
  cleanup.add(() => broker?.destroy());
  const publisher = broker === null ? null : await BrokerUser.create(broker, EXCHANGE);
  const watch = new PollWatch(LIMITS);
  cleanup.add(() => watch.close());
  const carriers = options.hasProviders ? await Carriers.open(provider.payments, random, cleanup) : null;
  return { provider, carriers, proof, database, broker, publisher, watch, ledger: new Ledger(), move };
}

async function startReplicas(
  { replicas: count, without }: ChaosOptions,
  folder: string,
  {
    database,
    publisher,
    provider,
    carriers,
    proof,
    watch,
    move,
  }: Services & { move: { to: (port: number) => void } },
  cleanup: Cleanup,
): Promise<Replicas> {
  const targets = {
    database: database.url(DATABASE),
    broker: publisher?.url ?? null,
    provider: provider.url,
  };
  const library = without.has('clocks') ? null : TOOLS.faketime.find();
  const all: Replica[] = [];
  for (let index = 0; index < count; index += 1) {
    const clock = library === null ? null : new FakedClock(library, join(folder, `clock-${index}`));
    const logDisk = without.has('logs') ? null : SmallDisk.make(logFolder(folder, index), LOG_MEGABYTES);
    cleanup.add(() => logDisk?.remove());
    mkdirSync(logFolder(folder, index), { recursive: true });
    const logTo = openSync(logOf(folder, index), 'a');
    const settings = { ...SETTINGS, ...proof?.settingsOf(index) };
    const linked = (await carriers?.linked()) ?? null;
    const linkedTo = { ...targets, carriers: linked };
    const replica = await Replica.make(linkedTo, settings, API_KEY, clock, logTo, logDisk);
    replica.links.provider?.tap(watch.newTap);
    all.push(replica);
  }
  const replicas = new Replicas(all);
  move.to = (port) => replicas.moveDatabase(port);
  cleanup.add(() => replicas.close());
  await replicas.start();
  return replicas;
}

async function openShops(
  replicas: Replicas,
  ledger: Ledger,
  cleanup: Cleanup,
): Promise<Pick<Stage, 'shop' | 'secondShop' | 'shopLink'>> {
  const [shop, secondShop] = [await Shop.open('shop', ledger), await Shop.open('second shop', ledger)];
  const shopLink = await TcpProxy.start({ port: shop.port });
  cleanup.add(() => Promise.all([shopLink.close(), shop.close(), secondShop.close()]));
  await addEndpoint(replicas.next, shop, shopLink.port);
  await addEndpoint(replicas.next, secondShop, secondShop.port);
  return { shop, secondShop, shopLink };
}

/** Adds the endpoint of the shop, which Paybell reaches at `port`. */
export async function addEndpoint(replica: NextReplica, shop: Shop, port: number): Promise<void> {
  const body = { url: `http://127.0.0.1:${port}/webhooks` };
  const answer = await replica().fetch('/api/webhook-endpoints', { method: 'POST', body });
  if (!answer.ok) throw new Error(`no endpoint: ${await answer.text()}`);
  shop.trust(((await answer.json()) as { secret: string }).secret);
}

/** Starts the consumers besides the shops; resolves when they miss no later event. */
export async function openReaders(
  replica: NextReplica,
  brokerUrl: string | null,
  exchange: string,
  ledger: Ledger,
  cleanup: Cleanup,
): Promise<void> {
  if (brokerUrl !== null) {
    const subscriber = new Subscriber(brokerUrl, exchange, ledger);
    await subscriber.start();
    cleanup.add(() => subscriber.close());
  }
  const feed = new FeedReader(replica, (body) => ledger.book('feed', body));
  const stream = new StreamClient(replica, ledger);
  feed.start();
  await stream.start();
  cleanup.add(() => Promise.all([feed.close(), stream.close()]));
}

function logFolder(folder: string, index: number): string {
  return join(folder, `${LOG_FOLDER}${index}`);
}

/** The path of a replica's log during the run. */
export function logOf(folder: string, index: number): string {
  return join(logFolder(folder, index), 'replica.log');
}
