import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { chainflipSettings, openingsAt, ROUTE } from '../support/chainflip-route.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { ChainflipStandIn } from '../../tools/chainflip-stand-in/chainflip-stand-in.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

const OTHER_RECIPIENT = `0x${'ce'.repeat(20)}`;
/** The number of channels that Chainflip opens for one recipient and pair. */
const CHANNELS = 25;
const QUOTE_WITHIN_MS = 10_000;

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
    });
  const quote = async (more: Json = {}): Promise<Json> =>
    jsonOf(await app.fetch('/api/quote', { method: 'POST', body: { ...ROUTE, ...more } }), 200);
  const openings = (): number => openingsAt(chainflip);
  const attention = async (): Promise<Json[]> =>
    (await jsonOf(await app.fetch('/api/attention'), 200))['items'] as Json[];

  beforeAll(async () => {
    stage = await Stage.open();
    chainflip = await ChainflipStandIn.start();
    app = await start();
  }, 60_000);
  afterAll(() => chainflip.close());

  it('asks the next provider where Chainflip has no channel left for the recipient and pair, and only there', async () => {
    for (let made = 0; made < CHANNELS; made += 1) expect((await quote())['provider']).toBe('chainflip');
    const before = [chainflip.channels.count, openings()] as const;
    expect((await quote())['provider']).toBe('http');
    expect(openings()).toBe(before[1] + 1);
    // Chainflip's refusal is remembered: no second request follows at once.
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
