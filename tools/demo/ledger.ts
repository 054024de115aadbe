import type { ArrivedEvent } from './arrived-event.ts';
import type { Story } from './stories.ts';

/** One payment of the demo and what has arrived about it, each event once, in the order of arrival. */
export class Account {
  readonly webhooks: ArrivedEvent[] = [];
  readonly messages: ArrivedEvent[] = [];

  constructor(
    readonly story: Story,
    readonly quoteId: string,
    /** The provider that carries it. */
    readonly provider: string,
  ) {}
}

/** The shop's book: what has arrived about which payment. Both ways deliver at least once, so it keeps each id once. */
export class Ledger {
  readonly accounts: Account[] = [];
  /** Arrived before the answer to POST /api/quote named the payment that it belongs to. */
  private readonly early: { way: 'webhooks' | 'messages'; event: ArrivedEvent }[] = [];

  open(story: Story, quoteId: string, provider: string): Account {
    const account = new Account(story, quoteId, provider);
    this.accounts.push(account);
    for (const { way, event } of this.early) if (event.data.quoteId === quoteId) account[way].push(event);
    return account;
  }

  /** Answers false when the id is known already. */
  enter(way: 'webhooks' | 'messages', event: ArrivedEvent): boolean {
    const account = this.accounts.find(({ quoteId }) => quoteId === event.data.quoteId);
    const known = account?.[way] ?? this.early.filter((one) => one.way === way).map((one) => one.event);
    if (known.some(({ id }) => id === event.id)) return false;
    if (account === undefined) this.early.push({ way, event });
    else account[way].push(event);
    return true;
  }
}
