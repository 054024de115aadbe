/** Resident memory of the Paybell process over a time, and how flat it is. */
import { median, shown } from './figures.js';
import { pause } from './pause.js';

const MOST_PERCENT = 10;
/** The memory of each is the median of its seconds: what waits for the garbage collector comes and goes. */
const WINDOWS = 10;
const SAMPLE_MS = 1_000;

/** @param {import('./paybell.js').Paybell} paybell @param {number} durationMs */
export async function memoryOver(paybell, durationMs) {
  const samples = [];
  const until = performance.now() + durationMs;
  while (performance.now() < until) {
    await pause(SAMPLE_MS);
    samples.push(paybell.residentMb());
  }
  return samples;
}

/** @param {string} what @param {number[]} samples */
export function figuresOfMemory(what, samples) {
  const middle = median(samples);
  const size = Math.ceil(samples.length / WINDOWS);
  const windows = Array.from({ length: WINDOWS }, (_, index) =>
    samples.slice(index * size, (index + 1) * size),
  );
  const medians = windows.filter((window) => window.length > 0).map(median);
  const farthest = Math.max(...medians.map((value) => Math.abs(value - middle)));
  return [
    {
      figure: `${what}: farthest tenth of ${shown((samples.length * SAMPLE_MS) / 1_000)} s from the median`,
      value: (farthest * 100) / middle,
      unit: '%',
      most: MOST_PERCENT,
    },
    { figure: '… the tenths, one after another', text: `${medians.map(shown).join(', ')} MB` },
    {
      figure: '… lowest, median, highest second',
      text: `${shown(Math.min(...samples))}, ${shown(middle)}, ${shown(Math.max(...samples))} MB`,
    },
  ];
}
