/** The state of a replay; `stopped`: it was cancelled, or its endpoint was deleted or disabled meanwhile. */
export type ReplayState = 'running' | 'done' | 'stopped';

/** A job that sends the events again that one webhook endpoint has not acknowledged; the API calls it a recovery. */
export interface EventReplay {
  readonly id: string;
  readonly endpointId: string;
  readonly since: Date;
  readonly state: ReplayState;
  /** How many events the replay found at its start, or `done` if that is more. */
  readonly count: number;
  /** False: `count` is only a part of them, since there are too many to count at once. */
  readonly exact: boolean;
  /** How many events the replay has already made pending. */
  readonly done: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** The endpoint has a replay that is still running. */
export class ReplayRunning extends Error {
  readonly code = 'recovery_running';
  readonly members: { readonly recoveryId: string };
  constructor(recoveryId: string) {
    super(`Recovery ${recoveryId} of this webhook endpoint is still running. Wait until it is done.`);
    this.members = { recoveryId };
  }
}

/** Events that an endpoint has not acknowledged; `exact` is false when there are more. */
export interface MissedEvents {
  readonly count: number;
  readonly exact: boolean;
}

/** The stored replays. Any replica may run their batches, and a restart continues where the last batch ended. */
export abstract class Replays {
  /** How many events since then the endpoint subscribes to and has not acknowledged; takes at most 15 seconds. */
  abstract count(endpointId: string, since: Date): Promise<MissedEvents>;
  /**
   * Starts a replay of these events; a replay without events is done at once. Throws ReplayRunning while another replay of the
   * endpoint is running, even for concurrent calls. `since` null: since the first event that the endpoint was not sent while
   * it was disabled; a running replay then also sends these events, and is returned. Null when the endpoint does not exist.
   */
  abstract start(endpointId: string, since: Date | null): Promise<EventReplay | null>;
  /** The replays of an endpoint, newest first. */
  abstract list(endpointId: string, limit: number): Promise<EventReplay[]>;
  /** Null when this endpoint has no replay with this id. */
  abstract find(endpointId: string, id: string): Promise<EventReplay | null>;
  /**
   * Ends a running replay after its current batch: events that it has made pending are delivered, and the rest stays as it
   * is. A replay that has ended stays as it is. Null when this endpoint has no replay with this id.
   */
  abstract cancel(endpointId: string, id: string): Promise<EventReplay | null>;
  /** Runs one batch of one replay and returns how many events it made pending; null when no replay is running. */
  abstract runBatch(): Promise<number | null>;
  /** Removes the replays that ended before then; returns how many. */
  abstract removeEnded(before: Date): Promise<number>;
}
