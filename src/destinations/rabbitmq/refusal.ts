import { codeOf, replyOf } from './broker-error.ts';

/** The broker closed a channel or connection because of a publish. */
export interface Refusal {
  /** The broker's reply text. */
  readonly words: string;
  /**
   * The publishes that the broker would refuse in the same way: those with this routing key, or all to the exchange.
   * `missing`: the exchange is gone. `message`: perhaps only this message.
   */
  readonly scope: 'topic' | 'exchange' | 'missing' | 'message';
  /** Null: the words name none. */
  readonly topic: string | null;
}

const TOPIC = /access to topic '([^']*)' in exchange/;
/** A client or an operator closed it (CONNECTION_FORCED), or a limit did (NOT_ALLOWED): no publish is the cause. */
const NO_REFUSAL = new Set(['200', '320', '530']);

/** Null: the error is not the broker's reply to a publish. */
export function refusalOf(error: unknown): Refusal | null {
  const code = codeOf(error);
  const words = replyOf(error);
  if (words === null || NO_REFUSAL.has(code)) return null;
  const topic = TOPIC.exec(words)?.[1] ?? null;
  if (topic !== null) return { words, scope: 'topic', topic };
  if (code === '404') return { words, scope: 'missing', topic };
  return { words, scope: code === '403' ? 'exchange' : 'message', topic };
}
