import type { StatusAnswer } from './payment-provider.ts';

export interface Health {
  /** `off`: not configured, or nothing that this process has to do with. */
  readonly status: 'ok' | 'degraded' | 'off';
  /** One line for an operator; no address, no key. */
  readonly detail?: string;
}

/** The database as readiness sees it. */
export abstract class DatabaseHealth {
  /** True once it answers and its schema is current. */
  abstract isReady(): Promise<boolean>;
  /** Resolves once it is ready for the first time; never when the service stops before. */
  abstract whenReady(): Promise<void>;
  /** Runs `task` once, with a current schema and before the database counts as ready; tries again while it fails. */
  abstract beforeReady(task: () => Promise<void>): void;
  /** How much waits to be told: the number of pending deliveries that are overdue, bounded at 10,000. */
  abstract overdueDeliveries(): Promise<number>;
}

/** The connection to RabbitMQ as readiness sees it. */
export abstract class BrokerHealth {
  abstract health(): Health;
}

/** What the provider is asked for beside the status of payments. */
export type Lookup = 'chains' | 'quote' | 'currencies';

/** How the provider has been answering lately, here and, where it fails for good, in any replica. */
export abstract class ProviderHealth {
  abstract health(): Promise<Health>;

  /** The next answer decides whether the provider works again. */
  abstract beginProbe(): Promise<void>;

  /**
   * Takes note of an answer about a payment that has failed so many times before. Answers whether a silence may be held
   * against the payment; not while the provider itself is in trouble.
   */
  abstract recordAnswer(quoteId: string, answer: StatusAnswer, failuresBefore: number): boolean;

  /** Takes note of how a lookup ended: with an answer (null), or with what was thrown. */
  abstract recordLookup(lookup: Lookup, failure: unknown): void;
}
