import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

interface Known {
  readonly addresses: readonly LookupAddress[];
  readonly at: number;
}

const FRESH_MS = 5_000;
const STALE_UP_TO_MS = 600_000;
/** How long an attempt waits for a look-up while it has a stale answer. Short: a dead name server delays the look-ups of all hosts. */
const SLOW_AFTER_MS = 30;
const MAX_HOSTS = 1_000;

/**
 * Resolves host names. Concurrent callers share one look-up, and get the last known answer while it hangs. Node runs only
 * two look-ups at once, so that two dead name servers would otherwise delay every endpoint.
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
    const lookup = this.lookUp(hostname);
    if (known === undefined || ageMs > STALE_UP_TO_MS) return lookup;
    return Promise.race([lookup, afterwards(SLOW_AFTER_MS, known.addresses)]);
  }

  private lookUp(hostname: string): Promise<readonly LookupAddress[]> {
    const running = this.running.get(hostname);
    if (running !== undefined) return running;
    const lookup = this.resolve(hostname)
      .then((addresses) => this.remember(hostname, addresses))
      .finally(() => this.running.delete(hostname));
    this.running.set(hostname, lookup);
    return lookup;
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
