import { Logger } from '@nestjs/common';

import type { Clock } from '../../../ports/clock.ts';
import { ProviderUnavailable } from '../../../ports/payment-provider.ts';
import { SingleFlight } from '../../../platform/scheduling/single-flight.ts';
import { readChains, type RelayChain } from './parse-chains.ts';
import { demandValue } from '../quote/refusals.ts';
import type { RelayApi } from '../relay-api.ts';

export type Chains = ReadonlyMap<number, RelayChain>;

const FRESH_MS = 300_000;
/** While Relay is down, not every quote waits for its time-out. */
const AFTER_FAILURE_MS = 10_000;

/** Relay's chains and what can be paid on them: read at most every five minutes, served stale while Relay is down. */
export class RelayChains {
  private readonly log = new Logger(RelayChains.name);
  private readonly reads = new SingleFlight<Chains>();
  private known: { readonly chains: Chains; readonly readAtMs: number } | null = null;
  private failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly api: Pick<RelayApi, 'get'>,
    private readonly clock: Clock,
  ) {}

  /** Also those that can't be paid on. Throws the provider's errors when no list could ever be had. */
  async all(): Promise<Chains> {
    if (this.known !== null && this.isUsable(this.known.readAtMs)) return this.known.chains;
    try {
      return await this.reads.run('chains', () => this.read());
    } catch (error) {
      if (this.known === null) throw error;
      return this.known.chains;
    }
  }

  private isUsable(readAtMs: number): boolean {
    const nowMs = this.clock.now().getTime();
    return nowMs - readAtMs < FRESH_MS || nowMs - this.failedAtMs < AFTER_FAILURE_MS;
  }

  private async read(): Promise<Chains> {
    try {
      const chains = await this.ask();
      this.known = { chains, readAtMs: this.clock.now().getTime() };
      this.failedAtMs = Number.NEGATIVE_INFINITY;
      return chains;
    } catch (error) {
      this.failedAtMs = this.clock.now().getTime();
      this.log.warn(`Relay's chains could not be read: ${(error as Error).message}`);
      throw error;
    }
  }

  private async ask(): Promise<Chains> {
    const answer = await this.api.get('/chains');
    // Without input of ours there is nothing to refuse.
    if (answer.kind === 'error') throw new ProviderUnavailable(`status ${answer.httpStatus}`);
    const chains = readChains(demandValue(answer));
    if (chains === null) throw new ProviderUnavailable('unreadable answer');
    return chains;
  }
}
