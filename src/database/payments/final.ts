import { isFinal, STATUSES } from '../../domain/payment/status.ts';

/** The statuses that nothing changes any more, as a list in SQL. */
export const FINAL = STATUSES.filter(isFinal)
  .map((status) => `'${status}'`)
  .join();
