/** How a recovery stands; `stopped`: its endpoint was deleted or disabled meanwhile. */
export type ReplayState = 'running' | 'done' | 'stopped';

/** A job that sends again what one webhook endpoint has not acknowledged. */
export interface EventReplay {
  readonly id: string;
  readonly endpointId: string;
  readonly since: Date;
  readonly state: ReplayState;
  /** How many events it found when it was asked for; more if it has made more pending: never less than `done`. */
  readonly count: number;
  /** How many it has made pending so far. */
  readonly done: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** The endpoint has a recovery that is not done yet. */
export class ReplayRunning extends Error {
  readonly code = 'recovery_running';
  readonly members: { readonly replayId: string };
  constructor(replayId: string) {
    super(`Recovery ${replayId} of this webhook endpoint is still running. Wait until it is done.`);
    this.members = { replayId };
  }
}

/** Replays, kept as rows: whichever replica has time works them off, and a restart goes on where it ended. */
export abstract class Replays {
  /** How many events since then the endpoint wants and has not acknowledged. */
  abstract count(endpointId: string, since: Date): Promise<number>;
  /**
   * Begins a recovery of them; one that finds nothing is done at once. Null when there is no such endpoint. Throws
   * ReplayRunning while the endpoint has another, however many are asked for at once.
   */
  abstract start(endpointId: string, since: Date): Promise<EventReplay | null>;
  /** Those of an endpoint, newest first. */
  abstract list(endpointId: string, limit: number): Promise<EventReplay[]>;
  /** Null when this endpoint has none of this id. */
  abstract find(endpointId: string, id: string): Promise<EventReplay | null>;
  /** Does one batch of one recovery: how many events it made pending; null when none is left to be worked on. */
  abstract runBatch(): Promise<number | null>;
  /** Forgets what has ended before then; answers how many. */
  abstract removeEnded(before: Date): Promise<number>;
}
