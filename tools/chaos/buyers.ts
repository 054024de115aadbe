import { randomUUID } from 'node:crypto';

import { Random } from '../simulation/random.ts';
import { quoteRequest } from '../testkit/provider-objects.ts';
import type { Breach } from './ledger.ts';
import { sleep, type NextReplica } from './readers.ts';
import { CARRIER_ROUTES } from './settings.ts';

const REQUEST_MS = 12_000;
const AGAIN_AFTER_MS = 500;

interface QuoteAnswer {
  readonly quoteId: string;
  readonly provider: string;
  readonly send: { readonly depositAddress: string };
}

/** A quote that was answered. */
export interface Quoted {
  readonly quoteId: string;
  readonly address: string;
  readonly provider: string;
}

/** Requests quotes like a shop: with an Idempotency-Key, repeated at any replica until one answers. */
export class Buyers {
  /** The quote ids of the answers: a payer may pay each of them. */
  readonly answered = new Set<string>();
  readonly breaches: Breach[] = [];
  private readonly asking = new Set<Promise<void>>();
  private isOver = false;
  private turn = 0;
  private coming: Promise<void> | null = null;

  constructor(
    private readonly replica: NextReplica,
    private readonly perMinute: number,
    private readonly random: Random,
    /** The providers that buyers name in turn, and the listener for their payments; null: there is only one provider. */
    private readonly among: { readonly names: readonly string[]; begin(quoted: Quoted): void } | null = null,
  ) {}

  start(): void {
    this.coming = this.come();
  }

  /** Starts no new buyers; resolves when all have their quotes. */
  async close(): Promise<void> {
    this.isOver = true;
    await this.coming;
    await Promise.all(this.asking);
  }

  /** Plays one buyer; resolves with the answer. */
  async ask(): Promise<void> {
    const key = randomUUID();
    // An address of the payment's own: no other payment can pass for it on chain.
    const recipient = `0x${key.replaceAll('-', '').padEnd(40, '0')}`;
    const body = quoteRequest({ orderId: key, recipient, ...this.nextProvider() });
    const quoted = await this.quote(key, body);
    const { quoteId } = quoted;
    this.among?.begin(quoted);
    this.answered.add(quoteId);
    // A shop that lost its own answer repeats the request: the answer must be the same quote.
    if (!this.random.chance(0.1)) return;
    const { quoteId: again } = await this.quote(key, body);
    if (again !== quoteId)
      this.breaches.push({ at: Date.now(), quoteId, text: `the same Idempotency-Key made ${again} too` });
  }

  private async come(): Promise<void> {
    while (!this.isOver) {
      await sleep(Math.min(this.random.exponential(60_000 / this.perMinute), 5_000));
      const asked = this.ask().finally(() => this.asking.delete(asked));
      this.asking.add(asked);
    }
  }

  private nextProvider(): Readonly<Record<string, unknown>> {
    if (this.among === null) return {};
    const { names } = this.among;
    this.turn += 1;
    const provider = names[this.turn % names.length] ?? '';
    return { provider, ...CARRIER_ROUTES[provider] };
  }

  private async quote(key: string, body: Record<string, unknown>): Promise<Quoted> {
    for (;;) {
      const quoted = await this.tryQuote(key, body).catch(() => null);
      if (quoted !== null) return quoted;
      await sleep(AGAIN_AFTER_MS);
    }
  }

  private async tryQuote(key: string, body: Record<string, unknown>): Promise<Quoted | null> {
    const signal = AbortSignal.timeout(REQUEST_MS);
    const headers = { 'idempotency-key': key };
    const answer = await this.replica().fetch('/api/quote', { method: 'POST', headers, body, signal });
    if (answer.status === 409) return this.paidMeanwhile((await answer.json()) as Partial<QuoteAnswer>);
    if (!answer.ok) return null;
    const { quoteId, provider, send } = (await answer.json()) as QuoteAnswer;
    return { quoteId, provider, address: send.depositAddress };
  }

  /** The quote of `quote_no_longer_payable`: its answer was lost, and the stand-in has paid the quote. */
  private async paidMeanwhile({ quoteId }: Partial<QuoteAnswer>): Promise<Quoted | null> {
    if (quoteId === undefined) return null;
    const answer = await this.replica().fetch(`/api/payments/${quoteId}`);
    if (!answer.ok) return null;
    const { provider, quote } = (await answer.json()) as { provider: string; quote: QuoteAnswer };
    return { quoteId, provider, address: quote.send.depositAddress };
  }
}
