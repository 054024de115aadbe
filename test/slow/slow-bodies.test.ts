import { describe, expect, it } from '@jest/globals';

import { countHeld, RawConnection } from '../support/raw-connection.ts';
import { Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const POOL = 2;
const SENDERS = 20;
const HEAD = [
  'POST /dashboard/session HTTP/1.1',
  'content-type: application/x-www-form-urlencoded',
  'content-length: 4000',
  'accept: text/html',
];

describe('the sign-in of a real process', () => {
  it('ends forms that come a byte a second, which hold no connection of the database until then', async () => {
    const stage = await Stage.open();
    const app = await stage.start({ DATABASE_POOL_SIZE: String(POOL) });
    const senders = await Promise.all(Array.from({ length: SENDERS }, () => RawConnection.open(app.url)));
    for (const sender of senders)
      sender
        .read()
        .send(
          `${[...HEAD, `origin: ${app.url}`, `host: ${new URL(app.url).host}`].join('\r\n')}\r\n\r\nkey=`,
        );
    const timer = setInterval(() => senders.forEach((sender) => sender.send('x')), 1_000);
    try {
      for (let count = 0; count < 5; count += 1) expect((await app.fetch('/api/payments')).status).toBe(200);
      expect(countHeld(senders)).toBe(SENDERS);
      await waitFor(() => countHeld(senders) === 0, { timeoutMs: 120_000, everyMs: 500 });
    } finally {
      clearInterval(timer);
    }
    expect(new Set(senders.map(({ statuses }) => statuses.join()))).toEqual(new Set(['408']));
    expect((await app.fetch('/api/payments')).status).toBe(200);
  }, 180_000);
});
