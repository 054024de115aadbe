import { Logger } from '@nestjs/common';

import { ProviderUnavailable } from '../../../ports/payment-provider.ts';
import type { Timers } from '../../../ports/timers.ts';
import { SharedWork } from '../../../platform/scheduling/shared-work.ts';
import { parseChains, type RelayChain } from './parse-chains.ts';
import { valueOrThrow } from '../refusals.ts';
import type { RelayApi } from '../relay-api.ts';

export type Chains = ReadonlyMap<number, RelayChain>;

const FRESH_MS = 300_000;
/** After a failed read the stale list is served for so long, so that not every quote waits for Relay's time-out. */
const AFTER_FAILURE_MS = 10_000;

/** Caches Relay's chains and their payable tokens: reads them at most every five minutes, serves them stale while Relay fails. */
export class RelayChains {
  private readonly log = new Logger(RelayChains.name);
  private readonly reads = new SharedWork<Chains>();
  private known: { readonly chains: Chains; readonly readAtMs: number } | null = null;
  private failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly api: Pick<RelayApi, 'get'>,
    private readonly timers: Timers,
  ) {}

  /** All chains, also those that take no payments. Throws the provider's errors when no list was ever read. */
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
    const nowMs = this.timers.nowMs();
    return nowMs - readAtMs < FRESH_MS || nowMs - this.failedAtMs < AFTER_FAILURE_MS;
  }

  private async read(): Promise<Chains> {
    try {
      const chains = await this.fetchChains();
      this.known = { chains, readAtMs: this.timers.nowMs() };
      this.failedAtMs = Number.NEGATIVE_INFINITY;
      return chains;
    } catch (error) {
      this.failedAtMs = this.timers.nowMs();
      this.log.warn(`Relay's chains could not be read: ${(error as Error).message}`);
      throw error;
    }
  }

  private async fetchChains(): Promise<Chains> {
    const answer = await this.api.get('/chains');
    // A GET has no input that Relay could refuse.
    if (answer.kind === 'error') throw new ProviderUnavailable(`status ${answer.httpStatus}`);
    const chains = parseChains(valueOrThrow(answer));
    if (chains === null) throw new ProviderUnavailable('unreadable answer');
    return chains;
  }
}
