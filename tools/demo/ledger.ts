import type { ArrivedEvent } from './arrived-event.ts';
import type { Story } from './stories.ts';

/** One payment of the demo and the events that have arrived about it, each once, in the order of arrival. */
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

/** The shop's book of the events of each payment. Both ways deliver at least once, so that the book keeps each id once. */
export class Ledger {
  readonly accounts: Account[] = [];
  /** Events that arrived before the answer to POST /api/quote named their payment. */
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
