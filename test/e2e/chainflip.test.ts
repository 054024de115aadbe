import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { arrivalsAt, wordOf } from '../support/published-events.ts';
import { chainflipSettings, openingsAt, ROUTE } from '../support/chainflip-route.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { ChainflipStandIn } from '../../tools/chainflip-stand-in/chainflip-stand-in.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

const OTHER_RECIPIENT = `0x${'ce'.repeat(20)}`;
/** As many as Chainflip opens for one recipient and pair. */
const CHANNELS = 25;
const QUOTE_WITHIN_MS = 10_000;
/** An output counts when two blocks of the state chain have not shown a fallback. */
const PROVEN_WITHIN_MS = 40_000;

describe('Chainflip before another provider', () => {
  let stage: Stage;
  let chainflip: ChainflipStandIn;
  let app: SharedService;

  const start = (): Promise<SharedService> =>
    stage.startWarm({
      PROVIDER: 'chainflip,http',
      ...chainflipSettings(chainflip),
      CHAINFLIP_MAX_RPM: '0',
      CHAINFLIP_MAX_QUOTES_RPM: '0',
      QUOTE_TIMEOUT_MS: String(QUOTE_WITHIN_MS),
      POLL_INTERVAL_MS: '500',
      POLL_MIN_GAP_MS: '300',
    });
  const quote = async (more: Json = {}): Promise<Json> =>
    jsonOf(await app.fetch('/api/quote', { method: 'POST', body: { ...ROUTE, ...more } }), 200);
  const addressOf = ({ send }: Json): string => String((send as Json)['depositAddress']);
  const openings = (): number => openingsAt(chainflip);
  const attention = async (): Promise<Json[]> =>
    (await jsonOf(await app.fetch('/api/attention'), 200))['items'] as Json[];
  const pollNow = (quoteId: string): Promise<unknown> =>
    stage.database.query(
      `UPDATE payment_schedule SET due_at = now()
       WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
      [quoteId],
    );

  beforeAll(async () => {
    stage = await Stage.open();
    chainflip = await ChainflipStandIn.start();
    app = await start();
    await stage.addShop(app);
  }, 60_000);
  afterAll(() => chainflip.close());

  it('tells of a payment that Chainflip gave up, and delivered after all: failed, then completed late', async () => {
    const made = await quote({ recipient: OTHER_RECIPIENT });
    expect(made['provider']).toBe('chainflip');
    const [quoteId, address] = [String(made['quoteId']), addressOf(made)];
    chainflip.lives.deposit(address);
    await stage.published(app, quoteId, ['created', 'executing']);
    chainflip.lives.swap(address);
    chainflip.lives.abort(address);
    const story = ['created', 'executing', 'failed'];
    const [, , failed] = await stage.published(app, quoteId, story);
    expect(failed?.data.payment).toMatchObject({
      error: expect.stringMatching(/^the delivery was given up/),
    });
    chainflip.lives.witness(address);
    await waitFor(
      async () => (await pollNow(quoteId), (await stage.at([quoteId], 'COMPLETED')).length === 1),
      {
        timeoutMs: PROVEN_WITHIN_MS,
      },
    );
    // A poll within the two blocks shows the output's transaction, which may be an update of its own.
    const events = (await stage.eventsOf(app, quoteId)).filter(({ type }) => type !== 'payment.updated');
    expect(events.map(wordOf)).toEqual([...story, 'completed late']);
    expect(events[3]?.data).toMatchObject({ previousStatus: 'FAILED', late: true });
    await waitFor(() => arrivalsAt(stage.shop).some(({ id }) => id === events[3]?.id));
  }, 90_000);

  it('asks the next provider where Chainflip has no channel left for the recipient and pair, and only there', async () => {
    for (let made = 0; made < CHANNELS; made += 1) expect((await quote())['provider']).toBe('chainflip');
    const before = [chainflip.channels.count, openings()] as const;
    expect((await quote())['provider']).toBe('http');
    expect(openings()).toBe(before[1] + 1);
    // Chainflip's refusal is remembered: it is not asked again so soon.
    expect((await quote())['provider']).toBe('http');
    expect([chainflip.channels.count, openings()]).toEqual([before[0], before[1] + 1]);
    expect((await quote({ recipient: OTHER_RECIPIENT }))['provider']).toBe('chainflip');
  }, 60_000);

  it('says in Attention how many channels are used', async () => {
    const item = await waitFor(
      async () => (await attention()).find(({ code }) => code === 'provider_capacity'),
      { timeoutMs: 30_000 },
    );
    expect(JSON.stringify(item)).toContain(`${CHANNELS} of ${CHANNELS}`);
  }, 60_000);
});
