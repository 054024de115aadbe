/** How long we wait at RabbitMQ for what. */
export interface RabbitmqTiming {
  /** For a connection, a channel and the exchange to stand. */
  readonly setupMs: number;
  /** For the broker's word about one event. */
  readonly confirmMs: number;
  readonly reconnectFromMs: number;
  readonly reconnectUpToMs: number;
  /** Waits before an event that nobody was bound for goes out again; after them it is given up. */
  readonly unroutableRetriesMs: readonly number[];
  /** How long a type that nobody was bound for is told in health. */
  readonly unroutableForMs: number;
  /** Between two declarations of the event queue on a channel that stands: whoever deleted it meanwhile is not noticed. */
  readonly declareEveryMs: number;
  /** Between two log lines of one kind: about events that nobody was bound for, about track messages. */
  readonly logEveryMs: number;
  /** For confirms still missing at shutdown. */
  readonly drainMs: number;
  /** For the broker to answer the close of a channel or connection. */
  readonly goodbyeMs: number;
  /** Between two tries at a track message. */
  readonly trackRetryFromMs: number;
  readonly trackRetryUpToMs: number;
  /** A track message that can't be taken for so long goes back to the end of its queue. */
  readonly trackHoldMs: number;
  /** For the track messages in hand at shutdown. */
  readonly trackDrainMs: number;
}

export const RABBITMQ_TIMING: RabbitmqTiming = {
  setupMs: 10_000,
  confirmMs: 10_000,
  reconnectFromMs: 500,
  reconnectUpToMs: 30_000,
  unroutableRetriesMs: [1_000, 5_000, 15_000, 30_000, 60_000, 120_000],
  unroutableForMs: 60_000,
  declareEveryMs: 60_000,
  logEveryMs: 60_000,
  drainMs: 500,
  goodbyeMs: 500,
  trackRetryFromMs: 1_000,
  trackRetryUpToMs: 30_000,
  trackHoldMs: 60_000,
  trackDrainMs: 6_000,
};
