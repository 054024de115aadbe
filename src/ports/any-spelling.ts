import { spellingsOf } from '../domain/payment/reading.ts';
import type { NotStored, StoredPayment } from './payments.ts';

type Read = (quoteId: string) => Promise<StoredPayment | NotStored>;

/** Reads by exactly this id, and then by its other spellings: a UUID in another letter case is the same id. */
export async function readAnySpelling(
  quoteId: string,
  readExactly: Read,
): Promise<StoredPayment | NotStored> {
  let payment: StoredPayment | NotStored = 'unknown';
  for (const spelling of spellingsOf(quoteId))
    if (payment === 'unknown') payment = await readExactly(spelling);
  return payment;
}
