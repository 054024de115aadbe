/** Time limits and intervals at RabbitMQ. */
export interface RabbitmqTiming {
  /** To open a connection or channel, or to declare exchange and queues. */
  readonly setupMs: number;
  /** For the confirm of one message. */
  readonly confirmMs: number;
  readonly reconnectFromMs: number;
  readonly reconnectUpToMs: number;
  /** Before a channel that a refused message has closed is opened again. */
  readonly reopenMs: number;
  /** The waits between attempts at an unroutable event; after the last one it is given up. */
  readonly unroutableRetriesMs: readonly number[];
  /** How long `/health` shows the type of an unroutable event. */
  readonly unroutableForMs: number;
  /** Between two declarations of the event queue on an open channel, which notice its deletion. */
  readonly declareEveryMs: number;
  /** Between two log lines of one kind: about unroutable events, about track messages. */
  readonly logEveryMs: number;
  /** For the missing confirms at shutdown. */
  readonly drainMs: number;
  /** To close a channel or connection gracefully. */
  readonly closeMs: number;
  /** Between two attempts at a track message. */
  readonly trackRetryFromMs: number;
  readonly trackRetryUpToMs: number;
  /** A track message that is still held after this time goes back to the end of its queue. */
  readonly trackHoldMs: number;
  /** To finish the track messages in process at shutdown. */
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
