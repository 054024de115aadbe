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

/**
 * Runs `work`. Turns a lost connection into StoreUnavailable, and a wait for a connection that was too long into the
 * error that `late` makes.
 */
export async function guarded<Result>(work: () => Promise<Result>, late: Late): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    const options = { cause: error, reason: failureWords(error) };
    throw isWithoutConnection(error) ? late(options) : new StoreUnavailable(options);
  }
}

/** Whether no statement was run: another connection may succeed. */
export function isElsewhere(error: unknown): boolean {
  const code = error instanceof StoreUnavailable ? codeOf(error.cause) : '';
  return code === SERVER_CHANGED || code === NOT_PREPARED;
}
