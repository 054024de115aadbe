import type { Random } from '../simulation/random.ts';
import { type Carrier, openChainflip, openOneClick, openRelay } from '../stand-in/carriers.ts';
import type { Cleanup } from '../testkit/cleanup.ts';
import { TcpProxy } from '../testkit/tcp-proxy.ts';
import { CarriedPayment } from './carried-payment.ts';
import type { Quoted } from './buyers.ts';
import { PollWatch } from './poll-watch.ts';
import type { Playable } from './provider.ts';
import { CARRIER_LIMITS, CARRIER_SETTINGS } from './settings.ts';
import { makeCarriedStory } from './stories.ts';

/** Status requests of each provider; a group of the pattern says what a request is about. */
const REQUESTS = {
  relay: /GET \/requests\/v3\?([^ ]*) HTTP\/1\.1\r\n/g,
  oneclick: /GET \/v0\/status\?depositAddress=([^ &]+)[^ ]* HTTP\/1\.1\r\n/g,
  chainflip: /GET \/v2\/swaps\/([^ ?]+) HTTP\/1\.1\r\n/g,
} as const;

/** The provider that dies on the way, and comes back. */
export const DIES = 'oneclick';

/** The stand-ins of Relay, 1Click and Chainflip, beside the provider of the specification. */
export class Carriers {
  readonly watches: readonly PollWatch[];

  private constructor(
    private readonly all: readonly Carrier[],
    private readonly payments: Map<string, Playable>,
    private readonly random: Random,
  ) {
    this.watches = all.map(({ name }) => new PollWatch(CARRIER_LIMITS[wordOf(name)], REQUESTS[wordOf(name)]));
  }

  /** Their payments go to `payments`. */
  static async open(payments: Map<string, Playable>, random: Random, cleanup: Cleanup): Promise<Carriers> {
    const carriers = new Carriers(
      await Promise.all([openRelay(), openOneClick(), openChainflip()]),
      payments,
      random,
    );
    cleanup.add(() => Promise.all(carriers.all.map((carrier) => carrier.close())));
    cleanup.add(() => carriers.watches.forEach((watch) => watch.close()));
    return carriers;
  }

  /** Their words in PROVIDER. */
  get names(): readonly string[] {
    return this.all.map(({ name }) => name);
  }

  /** The settings of a replica that reaches each provider through a proxy of its own. */
  async linked(): Promise<{ env: Readonly<Record<string, string>>; links: readonly TcpProxy[] }> {
    const links = await Promise.all(
      this.all.map(({ env, urlName }) => TcpProxy.inFrontOf(env[urlName] ?? '', 80)),
    );
    const settings = this.all.map(({ env, urlName }, index) => {
      const link = links[index];
      const watch = this.watches[index];
      if (link === undefined || watch === undefined) throw new Error('each provider has a proxy and a watch');
      link.tap(watch.newTap);
      return { ...env, [urlName]: link.through(env[urlName] ?? '').replace(/\/$/, '') };
    });
    return { env: Object.assign({ ...CARRIER_SETTINGS }, ...settings), links };
  }

  /** Begins the story of an answered quote; the specification's provider begins its own stories. */
  begin({ quoteId, address, provider }: Quoted): void {
    const carrier = this.all.find(({ name }) => name === provider);
    if (carrier === undefined || this.payments.has(quoteId)) return;
    const story = makeCarriedStory(this.random);
    this.payments.set(quoteId, new CarriedPayment(carrier, { quoteId, address }, story));
  }

  /** Refuses the provider's connections for a time. */
  async die(forMs: number, sleep: (ms: number) => Promise<void>): Promise<void> {
    const carrier = this.all.find(({ name }) => name === DIES);
    await carrier?.die();
    await sleep(forMs);
    await carrier?.comeBack();
  }
}

function wordOf(name: string): keyof typeof REQUESTS {
  if (name === 'relay' || name === 'oneclick' || name === 'chainflip') return name;
  throw new Error(`The chaos cannot tell the status requests to "${name}".`);
}
