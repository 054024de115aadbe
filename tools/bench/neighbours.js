/** How soon Paybell publishes a change at one provider, while another provider is well or in trouble. */
import { Child } from './child.js';
import { median, percentile } from './figures.js';
import { pause } from './pause.js';
import { steadyWindows } from './steady-changes.js';

const STATES = ['well', 'dead', 'throttles', 'refuses the key', 'answers after 4.9 s'];
/** Open payments at the provider that is in trouble. */
const OPEN = 300;
const QUOTES_AT_ONCE = 16;
/** The time after which the circuit of the provider in trouble is open. */
const IN_TROUBLE_MS = 10_000;
const QUOTE = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  toToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  amount: '25',
  recipient: `0x${'cd'.repeat(20)}`,
  provider: 'oneclick',
};

/** All states one after another. */
export const NEIGHBOURS_WITHIN_MS = STATES.length * 120_000;

/** @param {import('./scene.js').Place} place */
export async function measureNeighbours(place) {
  const p99s = [];
  for (const state of STATES) p99s.push(await p99Beside(place, state));
  const [well = Number.NaN] = p99s;
  return STATES.map((state, index) => {
    const p99 = p99s[index] ?? Number.NaN;
    const figure =
      index === 0
        ? 'change at a provider to webhook, p99, beside one that is well'
        : `… beside one that ${state === 'dead' ? 'is dead' : state}`;
    return { figure, text: `${p99.toFixed(0)} ms, ${(p99 / well).toFixed(2)} times` };
  });
}

/** @param {import('./scene.js').Place} place @param {string} state */
async function p99Beside(place, state) {
  const world = await Child.start('./oneclick-world.js');
  try {
    const { quoteKey } = await world.ask();
    const settings = {
      PROVIDER: 'http,oneclick',
      ONECLICK_BASE_URL: world.url,
      ONECLICK_QUOTE_KEY: quoteKey,
      ONECLICK_REFUND_TO: `evm:0x${'ab'.repeat(20)}`,
      ONECLICK_MAX_RPM: '0',
      ONECLICK_TIMEOUT_MS: '5000',
      ONECLICK_QUOTE_TTL_SECONDS: '86400',
    };
    const windows = await steadyWindows(
      place,
      ({ receiver }) => receiver,
      settings,
      async (paybell) => {
        for (let made = 0; made < OPEN; made += QUOTES_AT_ONCE)
          await Promise.all(Array.from({ length: QUOTES_AT_ONCE }, () => paybell.quote(QUOTE)));
        await world.ask({ trouble: state });
        await pause(IN_TROUBLE_MS);
      },
    );
    return median(windows.map((latencies) => percentile(latencies, 0.99)));
  } finally {
    await world.stop();
  }
}
