import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { chainflipSettings, OPENING, openingsAt, ROUTE } from '../support/chainflip-route.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { ChainflipStandIn } from '../../tools/chainflip-stand-in/chainflip-stand-in.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

/** Longer than the time limit of a request, and than the lease of a key. */
const SLOW_MS = 14_000;
const NEVER_MS = 600_000;
const ANSWERED_WITHIN_MS = 40_000;

describe('two replicas with Chainflip alone', () => {
  let stage: Stage;
  let chainflip: ChainflipStandIn;
  let one: SharedService;
  let other: SharedService;

  const start = (): Promise<SharedService> =>
    stage.startWarm({
      PROVIDER: 'chainflip',
      ...chainflipSettings(chainflip),
      CHAINFLIP_TIMEOUT_MS: '1000',
    });
  const ask = (app: SharedService, orderId: string, key: string): Promise<Response> =>
    app.fetch('/api/quote', {
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: { ...ROUTE, orderId },
    });
  /** Asks again as a shop does, until there is a quote. */
  const quoteOf = (app: SharedService, orderId: string, key: string): Promise<Json> =>
    waitFor(
      async () => {
        const answer = await ask(app, orderId, key);
        return answer.status === 200 ? ((await answer.json()) as Json) : undefined;
      },
      { timeoutMs: ANSWERED_WITHIN_MS },
    );
  const openings = (): number => openingsAt(chainflip);
  const quotesOf = (orderId: string): Promise<Json[]> =>
    stage.database.query('SELECT quote_id FROM payment WHERE order_id = $1', [orderId]);

  beforeAll(async () => {
    stage = await Stage.open();
    chainflip = await ChainflipStandIn.start();
    [one, other] = await Promise.all([start(), start()]);
  });
  afterAll(() => chainflip.close());

  it('open one channel for one Idempotency-Key, however long that takes', async () => {
    const key = randomUUID();
    chainflip.fault('slow', { path: OPENING, times: 1, delayMs: SLOW_MS });
    const first = ask(one, 'A-slow', key);
    await waitFor(() => openings() === 1);
    const second = await quoteOf(other, 'A-slow', key);
    expect(await jsonOf(await first, 200)).toEqual(second);
    expect([openings(), chainflip.channels.count]).toEqual([1, 1]);
    expect(await quotesOf('A-slow')).toEqual([{ quote_id: second['quoteId'] }]);
  });

  it('show one address for one order, though kill -9 came while its channel was being opened', async () => {
    const key = randomUUID();
    const [before, channels] = [openings(), chainflip.channels.count];
    chainflip.fault('slow', { path: OPENING, times: 1, delayMs: NEVER_MS });
    const unanswered = ask(one, 'A-killed', key).catch(() => null);
    await waitFor(() => openings() > before);
    await one.kill9();
    expect(await unanswered).toBeNull();
    const shown = await quoteOf(other, 'A-killed', key);
    expect(await jsonOf(await ask(other, 'A-killed', key), 200)).toEqual(shown);
    // Only Chainflip knows the channel that was being opened: its address was never shown.
    expect([openings(), chainflip.channels.count]).toEqual([before + 2, channels + 2]);
    expect(await quotesOf('A-killed')).toEqual([{ quote_id: shown['quoteId'] }]);
  });
});
