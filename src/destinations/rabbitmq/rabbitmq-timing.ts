/** Time limits and intervals at RabbitMQ. */
export interface RabbitmqTiming {
  /** The time limit for opening a connection or channel, or for declaring exchange and queues. */
  readonly setupMs: number;
  /** The time limit for the confirm of one message. */
  readonly confirmMs: number;
  readonly reconnectFromMs: number;
  readonly reconnectUpToMs: number;
  /** The wait before a channel that a refused message has closed is opened again. */
  readonly reopenMs: number;
  /** The waits between attempts at an unroutable event; after the last one it is given up. */
  readonly unroutableRetriesMs: readonly number[];
  /** How long `/health` shows the type of an unroutable event. */
  readonly unroutableForMs: number;
  /** The time between two declarations of the event queue on an open channel, which notice its deletion. */
  readonly declareEveryMs: number;
  /** The time between two log lines of one kind: about unroutable events, or about track messages. */
  readonly logEveryMs: number;
  /** The time at shutdown for the missing confirms. */
  readonly drainMs: number;
  /** The time for closing a channel or connection gracefully. */
  readonly closeMs: number;
  /** The shortest time between two attempts at a track message. */
  readonly trackRetryFromMs: number;
  readonly trackRetryUpToMs: number;
  /** The time after which a held track message goes back to the end of its queue. */
  readonly trackHoldMs: number;
  /** The time at shutdown for the track messages in process. */
  readonly trackDrainMs: number;
}

export const RABBITMQ_TIMING: RabbitmqTiming = {
  setupMs: 10_000,
  confirmMs: 10_000,
  reconnectFromMs: 500,
  reconnectUpToMs: 30_000,
  reopenMs: 100,
  unroutableRetriesMs: [1_000, 5_000, 15_000, 30_000, 60_000, 120_000],
  unroutableForMs: 60_000,
  declareEveryMs: 60_000,
  logEveryMs: 60_000,
  drainMs: 500,
  closeMs: 500,
  trackRetryFromMs: 1_000,
  trackRetryUpToMs: 30_000,
  trackHoldMs: 60_000,
  trackDrainMs: 6_000,
};
