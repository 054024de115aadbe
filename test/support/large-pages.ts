import type { SharedService } from './shared-process.ts';
import { jsonOf, Stage } from './stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

export const PAYMENTS = 60;

/**
 * A Paybell whose pages of events and payments are as large as possible: many payments, one of them with three hundred further
 * events.
 */
export async function openLargePages(): Promise<{ stage: Stage; app: SharedService }> {
  const stage = await Stage.open();
  const app = await stage.startWarm();
  const [first = ''] = await stage.quotes(app, PAYMENTS);
  await stage.database.query(`UPDATE payment SET metadata = $1`, [
    JSON.stringify({ note: 'm'.repeat(200_000) }),
  ]);
  await stage.database.query(MANY_EVENTS, [first, 'x'.repeat(80_000)]);
  await waitFor(async () => {
    const page = await jsonOf(await app.fetch('/api/events?type=payment.updated&limit=1'), 200);
    return (page['data'] as object[]).length === 1;
  });
  return { stage, app };
}

/** Three hundred events of 80 kB of one payment. */
const MANY_EVENTS = `
  INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
  SELECT id, p, 1 + i, 'payment.updated', now(), format('{"id":"%s","x":"%s"}', id, $2::text)
  FROM (SELECT gen_random_uuid() AS id, payment.id AS p, i FROM payment, generate_series(1, 300) i
    WHERE quote_id = $1) made`;
