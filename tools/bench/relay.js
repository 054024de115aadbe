/** 3,000 open payments at Relay, within its default limits: how soon Paybell knows of a deposit. */
import { randomBytes } from 'node:crypto';

import { Child } from './child.js';
import { percentile, shown } from './figures.js';
import { Paybell } from './paybell.js';
import { pause } from './pause.js';
import { onDatabase } from './scene.js';

const OPEN = 3_000;
/** These payments are paid during the measurement and then no longer open: they come on top of the 3,000. */
const PAID = 720;
const PAY_EVERY_MS = 250;
const QUOTES_AT_ONCE = 16;
/** No key may request quotes at this rate: waits until every payment has been polled once. */
const WARM_UP_MS = 150_000;
const AFTERWARDS_MS = 45_000;
const MINUTE_MS = 60_000;
const MOST_MEAN_S = 12;
const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const USDC_ON_ARBITRUM = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
const QUOTE = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: USDC_ON_BASE,
  toToken: USDC_ON_ARBITRUM,
  amount: '25.5',
};

/** The time limit of the whole measurement. */
export const RELAY_WITHIN_MS = WARM_UP_MS + PAID * PAY_EVERY_MS + AFTERWARDS_MS + 180_000;

/** @param {import('./scene.js').Place} place */
export function measureRelay(place) {
  return onDatabase(place, async (database, cleanup) => {
    const world = await Child.start('./relay-world.js');
    cleanup.push(() => world.stop());
    const { relayUrl, apiKey } = await world.ask();
    const paybell = await Paybell.start(place.folder, {
      DATABASE_URL: database.url,
      PROVIDER: 'relay',
      RELAY_BASE_URL: relayUrl,
      RELAY_API_KEY: apiKey,
      RELAY_REFUND_TO: `evm:0x${'ab'.repeat(20)}`,
      RELAY_MAX_QUOTES_RPM: '0',
      // No quote expires during the measurement.
      RELAY_QUOTE_TTL_SECONDS: '86400',
    });
    cleanup.push(() => paybell.stop());
    await paybell.addEndpoint(world.url);
    const addresses = await quoteAll(paybell, OPEN + PAID);
    await pause(WARM_UP_MS);
    const before = await world.ask({ unpaid: addresses.slice(0, PAID), payEveryMs: PAY_EVERY_MS });
    await pause(PAID * PAY_EVERY_MS);
    await pause(AFTERWARDS_MS);
    const after = await world.ask({ payEveryMs: 0 });
    const measuredMs = PAID * PAY_EVERY_MS + AFTERWARDS_MS;
    const seconds = after.delays.map((/** @type {number} */ ms) => ms / 1_000);
    const mean =
      seconds.reduce((/** @type {number} */ sum, /** @type {number} */ each) => sum + each, 0) /
      seconds.length;
    return [
      {
        figure: `${shown(OPEN)} open at Relay, ${shown(seconds.length)} paid: deposit to webhook, mean`,
        value: mean,
        unit: 's',
        most: MOST_MEAN_S,
      },
      { figure: '… p50', value: percentile(seconds, 0.5), unit: 's' },
      { figure: '… p99', value: percentile(seconds, 0.99), unit: 's' },
      { figure: '… deposits that were never reported', value: after.missing, most: 0 },
      {
        figure: '… reads a minute (Relay allows 200)',
        value: ((after.reads - before.reads) * MINUTE_MS) / measuredMs,
      },
      { figure: '… reads answered 429, since the start', value: after.tooMany.requests, most: 0 },
    ];
  });
}

/** Requests quotes through Paybell's own API, like a merchant. @param {Paybell} paybell @param {number} count */
async function quoteAll(paybell, count) {
  /** @type {string[]} */
  const addresses = [];
  let asked = 0;
  const work = async () => {
    while (asked < count) {
      asked += 1;
      const recipient = `0x${randomBytes(20).toString('hex')}`;
      const { send } = await paybell.quote({ ...QUOTE, recipient });
      addresses.push(send.depositAddress);
    }
  };
  await Promise.all(Array.from({ length: QUOTES_AT_ONCE }, work));
  return addresses;
}
