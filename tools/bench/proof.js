/**
 * The cost of proofs: polls a second with one completion a second, with and without proofs at the same time; and the duration
 * of a proof.
 */
import { quoteRequest } from '../../build/tools/testkit/provider-objects.js';
import { BLOCK_MS, CHAIN_ID, COMPLETES_AFTER_MS, CONFIRMATIONS, FINAL_BLOCKS } from './chain.js';
import { Child } from './child.js';
import { median, percentile, shown } from './figures.js';
import { Paybell } from './paybell.js';
import { pause } from './pause.js';
import { INTERVAL_MS, PAYMENTS, rateOf, SETTINGS, WARM_UP_MS } from './polls.js';
import { onDatabase } from './scene.js';

export const PROOF_WITHIN_MS = 30 * 60_000;
const ROUNDS = Number(process.env['BENCH_PROOF_ROUNDS'] ?? 3);
const LEAST_RATIO = 0.97;
const MEASURED_MS = 40_000;
const COMPLETIONS_APART_MS = 1_000;
/** The time until the last proof, which may need a second search. */
const LAST_PROOF_MS = COMPLETES_AFTER_MS + 4 * CONFIRMATIONS * BLOCK_MS;

/** @typedef {{ rate: number, completed: number, calls: number, waits: number[] }} Run */

/** @param {import('./scene.js').Place} place */
export async function measureProof(place) {
  /** @type {{ off: Run, on: Run }[]} */
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    // Both run at once, so that other load affects both: its noise would be larger than the difference.
    const [off, on] = await Promise.all([run(place, false), run(place, true)]);
    rounds.push({ off, on });
    process.stderr.write(`  round ${round}: ${shown(off.rate)} off, ${shown(on.rate)} on\n`);
  }
  const off = rounds.map((round) => round.off);
  const on = rounds.map((round) => round.on);
  const waits = on.flatMap((each) => each.waits);
  const chain = `${CONFIRMATIONS} blocks of ${BLOCK_MS / 1_000} s, final after ${FINAL_BLOCKS}`;
  return [
    { figure: 'polls a second beside one completion a second, VERIFY=off', value: rates(off) },
    { figure: '… observe', value: rates(on) },
    {
      figure: '… observe ÷ off',
      value: median(rounds.map((round) => round.on.rate / round.off.rate)),
      aim: LEAST_RATIO,
    },
    { figure: `completed to payment.verified, p50 (${chain})`, value: percentile(waits, 0.5), unit: 'ms' },
    { figure: '… p99', value: percentile(waits, 0.99), unit: 'ms' },
    { figure: '… proven, of those that completed', text: `${waits.length} of ${sum(on, 'completed')}` },
    {
      figure: 'calls to the RPC a completion, its inspection at finality included',
      value: sum(on, 'calls') / sum(on, 'completed'),
    },
    { figure: '… VERIFY=off', value: sum(off, 'calls'), most: 0 },
  ];
}

/** @param {Run[]} runs */
function rates(runs) {
  return median(runs.map(({ rate }) => rate));
}

/** @param {Run[]} runs @param {'completed' | 'calls'} what */
function sum(runs, what) {
  return runs.reduce((total, each) => total + each[what], 0);
}

/** @param {import('./scene.js').Place} place @param {boolean} isOn @returns {Promise<Run>} */
function run(place, isOn) {
  return onDatabase(place, async (database, cleanup) => {
    const started = async (/** @type {string} */ file, /** @type {string[]} */ args = []) => {
      const child = await Child.start(file, args);
      cleanup.push(() => child.stop());
      return child;
    };
    const [receiver, provider, rpc] = [
      await started('./proof-receiver.js'),
      await started('./stub-provider.js', ['completing']),
      await started('./chain-rpc.js'),
    ];
    const paybell = await Paybell.start(place.folder, {
      DATABASE_URL: database.url,
      PROVIDER_BASE_URL: provider.url,
      ...SETTINGS,
      VERIFY: isOn ? 'observe' : 'off',
      CHAIN_RPC: `${CHAIN_ID}=${rpc.url}`,
      CHAIN_CONFIRMATIONS: `${CHAIN_ID}=${CONFIRMATIONS}`,
    });
    cleanup.push(() => paybell.stop());
    await paybell.addEndpoint(receiver.url);
    await database.addPayments(PAYMENTS, INTERVAL_MS);
    return measured({ paybell, provider, receiver, rpc }, isOn);
  });
}

/** @param {{ paybell: Paybell, provider: Child, receiver: Child, rpc: Child }} scene @param {boolean} isOn */
async function measured({ paybell, provider, receiver, rpc }, isOn) {
  const quotes = setInterval(() => void paybell.quote(quoteRequest()), COMPLETIONS_APART_MS);
  let rate;
  try {
    await pause(WARM_UP_MS + COMPLETES_AFTER_MS);
    rate = await rateOf(provider, MEASURED_MS);
  } finally {
    clearInterval(quotes);
  }
  await pause(isOn ? LAST_PROOF_MS + FINAL_BLOCKS * BLOCK_MS : COMPLETES_AFTER_MS);
  const [{ completed, waits }, { calls }] = [await receiver.ask(), await rpc.ask()];
  return { rate, completed, calls, waits };
}
