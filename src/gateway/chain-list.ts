import { Injectable, Logger } from '@nestjs/common';

import { isRecord } from '../domain/reading.ts';
import { Clock } from '../ports/clock.ts';
import { PaymentProvider } from '../ports/payment-provider.ts';
import { SingleFlight } from '../scheduling/single-flight.ts';

const FRESH_MS = 300_000;
/** While the provider is down, not every request waits for its time-out. */
const AFTER_FAILURE_MS = 10_000;

interface KnownChains {
  /** The provider's answer, verbatim. */
  readonly text: string;
  /** Null when the answer lists none that can be read. */
  readonly ids: ReadonlySet<number> | null;
  readonly readAtMs: number;
}

/** The provider's chains: read at most every five minutes, and served stale while the provider is down. */
@Injectable()
export class ChainList {
  private readonly log = new Logger(ChainList.name);
  private readonly reads = new SingleFlight<KnownChains>();
  private known: KnownChains | null = null;
  private failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly provider: PaymentProvider,
    private readonly clock: Clock,
  ) {}

  /** Verbatim, as JSON text. Throws the provider's error when no list could ever be had. */
  async text(): Promise<string> {
    const chains = this.usable() ?? (await this.readOrStale());
    return chains.text;
  }

  /** The chains' ids; null when no list could be had: the provider itself will say then. Never throws. */
  async ids(): Promise<ReadonlySet<number> | null> {
    if (this.known === null && this.hasJustFailed()) return null;
    const chains = this.usable() ?? (await this.readOrStale().catch(() => null));
    return chains?.ids ?? null;
  }

  private usable(): KnownChains | null {
    if (this.known === null) return null;
    const isFresh = this.clock.now().getTime() - this.known.readAtMs < FRESH_MS;
    return isFresh || this.hasJustFailed() ? this.known : null;
  }

  private hasJustFailed(): boolean {
    return this.clock.now().getTime() - this.failedAtMs < AFTER_FAILURE_MS;
  }

  private async readOrStale(): Promise<KnownChains> {
    try {
      return await this.reads.run('chains', () => this.read());
    } catch (error) {
      if (this.known === null) throw error;
      return this.known;
    }
  }

  private async read(): Promise<KnownChains> {
    try {
      const text = await this.provider.readChains();
      this.known = { text, ids: idsIn(text), readAtMs: this.clock.now().getTime() };
      this.failedAtMs = Number.NEGATIVE_INFINITY;
      return this.known;
    } catch (error) {
      this.failedAtMs = this.clock.now().getTime();
      this.log.warn(`the list of chains could not be read: ${(error as Error).message}`);
      throw error;
    }
  }
}

function idsIn(text: string): ReadonlySet<number> | null {
  try {
    const answer: unknown = JSON.parse(text);
    const chains = isRecord(answer) ? answer['chains'] : null;
    if (!Array.isArray(chains)) return null;
    const ids = chains.map((chain) => (isRecord(chain) ? Number(chain['id']) : Number.NaN));
    const readable = ids.filter((id) => Number.isSafeInteger(id) && id > 0);
    return readable.length === 0 ? null : new Set(readable);
  } catch {
    return null;
  }
}
