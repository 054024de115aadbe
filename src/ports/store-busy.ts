import { StoreUnavailable } from './payments.ts';

/**
 * The wait for a connection, or for an answer, was too long while the database answered other callers. Nothing was stored,
 * unless the statement had already been sent.
 */
export class StoreBusy extends StoreUnavailable {
  override readonly code = 'busy';
  constructor(options: ErrorOptions = {}) {
    super({ ...options, reason: 'it answers others, and this waited too long' });
    this.message = 'The service is busy: this waited too long, while the database answered others.';
  }
  override get publicDetail(): undefined {
    return undefined;
  }
}

/** The caller has waited too long and has its answer already, so that nothing may be stored any more. */
export class NotWanted extends StoreBusy {}
