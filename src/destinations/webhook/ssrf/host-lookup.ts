import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

interface Known {
  readonly addresses: readonly LookupAddress[];
  readonly at: number;
}

const FRESH_MS = 5_000;
const STALE_UP_TO_MS = 600_000;
/** One dead name server would hold up each attempt to every other host for so long, so that it is not much. */
const SLOW_AFTER_MS = 30;
const MAX_HOSTS = 1_000;

/**
 * Finds the addresses of host names: one look-up for all who ask at the same time, and the last known answer while
 * a look-up hangs. Node makes only two look-ups at once, so that two dead name servers would hold up every endpoint.
 */
export class HostLookup {
  private readonly known = new Map<string, Known>();
  private readonly running = new Map<string, Promise<readonly LookupAddress[]>>();

  constructor(
    private readonly resolve: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true }),
    private readonly freshMs = FRESH_MS,
  ) {}

  async find(hostname: string): Promise<readonly LookupAddress[]> {
    const known = this.known.get(hostname);
    const ageMs = known === undefined ? Infinity : performance.now() - known.at;
    if (known !== undefined && ageMs < this.freshMs) return known.addresses;
    const polling = this.poll(hostname);
    if (known === undefined || ageMs > STALE_UP_TO_MS) return polling;
    return Promise.race([polling, afterwards(SLOW_AFTER_MS, known.addresses)]);
  }

  private poll(hostname: string): Promise<readonly LookupAddress[]> {
    const running = this.running.get(hostname);
    if (running !== undefined) return running;
    const polling = this.resolve(hostname)
      .then((addresses) => this.remember(hostname, addresses))
      .finally(() => this.running.delete(hostname));
    this.running.set(hostname, polling);
    return polling;
  }

  private remember(hostname: string, addresses: readonly LookupAddress[]): readonly LookupAddress[] {
    this.known.delete(hostname);
    this.known.set(hostname, { addresses, at: performance.now() });
    const oldest = this.known.keys().next();
    if (this.known.size > MAX_HOSTS && oldest.done !== true) this.known.delete(oldest.value);
    return addresses;
  }
}

function afterwards<Value>(ms: number, value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(resolve, ms, value).unref());
}
