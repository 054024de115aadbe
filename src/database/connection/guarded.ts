import { StoreUnavailable } from '../../ports/payments.ts';
import {
  codeOf,
  isConnectionError,
  isWithoutConnection,
  NOT_PREPARED,
  SERVER_CHANGED,
} from './connection-errors.ts';
import { failureWords } from './failure-words.ts';
import type { Late } from './waiting.ts';

/** Lets a lost connection through as StoreUnavailable, and too long a wait for a connection as `late` makes it. */
export async function guarded<Result>(work: () => Promise<Result>, late: Late): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    const options = { cause: error, reason: failureWords(error) };
    throw isWithoutConnection(error) ? late(options) : new StoreUnavailable(options);
  }
}

/** Nothing was run: another connection may do. */
export function isElsewhere(error: unknown): boolean {
  const code = error instanceof StoreUnavailable ? codeOf(error.cause) : '';
  return code === SERVER_CHANGED || code === NOT_PREPARED;
}
