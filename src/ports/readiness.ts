import type { StatusAnswer } from './payment-provider.ts';

export interface Health {
  /** `off`: not configured, or not used by this process. */
  readonly status: 'ok' | 'degraded' | 'off';
  /** One line for an operator, without an address or a key. */
  readonly detail?: string;
}

/** The service must not start with this configuration. The message says why, and what to do. */
export class StartRefused extends Error {}

/** Why the database is not ready. */
export interface DatabaseProblem {
  /**
   * The part that fails: the start, any answer, the comparison of the schema with this release's, or the commit of a small
   * write.
   */
  readonly check: 'start' | 'answer' | 'schema' | 'write';
  /** One line for an operator, without an address or a key. */
  readonly detail: string;
}

/** The trouble of a database that may still answer. */
export interface DatabaseTrouble {
  /** One line for an operator, without an address or a key. */
  readonly detail: string;
  readonly since: Date;
}

/** Reports losses of the database's last commits, by a restore or a failover. */
export interface WentBack {
  /** 0 if the database never went back; grows each time that it does. */
  readonly epoch: number;
  /** When the database went back, if within the last day. */
  readonly at: Date | null;
}

/** The health of the database. */
export abstract class DatabaseHealth {
  /** Null while the database answers, its schema is this release's, and a small write has committed lately. */
  abstract problem(): Promise<DatabaseProblem | null>;
  /**
   * Why the database is not ready, or which request it lately refused, such as a connection; null: nothing is wrong. Sends no
   * statement.
   */
  trouble(): DatabaseTrouble | null {
    return null;
  }
  get wentBack(): WentBack {
    return { epoch: 0, at: null };
  }
  /**
   * Runs `task` once, with a current schema and before the database counts as ready; repeats it while it fails. StartRefused
   * ends the process; at the first try before it listens.
   */
  abstract beforeReady(task: () => Promise<void>): void;
  /** Resolves once the database is ready for the first time; never when the service stops before. */
  abstract whenReady(): Promise<void>;
}

/** Why a destination accepts no messages over its connection: the connection is `away`, or the destination `refuses` them. */
export interface ConnectionTrouble {
  readonly problem: 'away' | 'refuses';
  /** One line for an operator, without an address or a key. */
  readonly detail: string;
  readonly since: Date;
}

/** The health of a connection without which the API still works, such as the one to RabbitMQ. */
export abstract class ConnectionHealth {
  /** The name of the connection's check: the kind of the destination. */
  abstract readonly name: string;
  abstract health(): Health;
  /** The trouble that keeps events from it; null: nothing, or this process keeps no such connection. */
  trouble(): ConnectionTrouble | null {
    return null;
  }
}

/** The connections of all destinations that keep one. */
export class ConnectionHealths {
  constructor(readonly all: readonly ConnectionHealth[]) {}
}

/**
 * How far this machine's clock is off. Paybell uses the database's clock; a skew is a trouble that an operator should know.
 */
export abstract class ClockSkew {
  /** This machine's clock minus the database's; null before the first measurement. */
  abstract readonly skewMs: number | null;
  abstract health(): Health;
}

/** Requests to the provider for quotes; all others ask for a status. */
export type QuotingRequest = 'chains' | 'quote' | 'currencies';

/** The health of the provider: its latest answers to this process, and the circuit that all replicas share. */
export abstract class ProviderHealth {
  abstract health(): Promise<Health>;

  /** True while a quote would probably fail: the circuit is open, or the last answers were failures. */
  abstract isFailing(): Promise<boolean>;

  /** The next request is a probe: its answer decides whether the provider works again. */
  abstract beginProbe(): Promise<void>;

  /**
   * Records an answer about a payment whose last `failuresBefore` polls have failed. Returns whether a failure makes the
   * payment back off; false while the provider itself fails.
   */
  abstract recordAnswer(quoteId: string, answer: StatusAnswer, failuresBefore: number): boolean;

  /** Records how a request for quotes, chains or tokens ended: with an answer (null), or with the thrown error. */
  abstract recordQuoting(request: QuotingRequest, failure: unknown): void;
}
