/** The memory with 100,000 open payments at the default settings, some of which change. */

import { median, shown } from './figures.js';
import { pause } from './pause.js';
import { rateOf } from './polls.js';
import { onScene } from './scene.js';

const AIM_MB = 250;
const PAYMENTS = 100_000;
const DEFAULT_INTERVAL_MS = 7_000;
const CHANGES_PER_S = 50;
const SAMPLES = 15;
const SAMPLE_MS = 1_000;

/** @param {import('./scene.js').Place} place */
export function measureMemory(place) {
  return onScene(place, {}, async ({ provider, database, paybell }) => {
    const idle = paybell.residentMb();
    await database.addPayments(PAYMENTS, DEFAULT_INTERVAL_MS);
    await provider.ask({ changesPerS: CHANGES_PER_S });
    await pause(DEFAULT_INTERVAL_MS);
    const samples = [];
    const rates = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      rates.push(await rateOf(provider, SAMPLE_MS));
      samples.push(paybell.residentMb());
    }
    const resident = `memory with ${PAYMENTS.toLocaleString('en-US')} open payments`;
    return [
      { figure: resident, value: median(samples), unit: 'MB', most: AIM_MB },
      { figure: '… the most it ever was', value: paybell.peakMb(), unit: 'MB' },
      { figure: '… before the first payment', value: idle, unit: 'MB' },
      { figure: '… polls a second meanwhile', text: shown(median(rates)) },
    ];
  });
}
