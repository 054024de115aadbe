/** Linux's counters for a process; NaN where there is no /proc. */
import { readFileSync } from 'node:fs';

/** The unit of Linux's counters of processor time, on every machine. */
const TICK_MS = 10;
/** The places after the name: user and system time of the process, and of its children that have ended. */
const OWN = [11, 12];
const ENDED_CHILDREN = [13, 14];

/** Processor time since its start. */
export function cpuMs(/** @type {number} */ pid) {
  return ticksOf(pid, OWN) * TICK_MS;
}

/** The processor time of the process and its children, including ended ones. */
export function treeCpuMs(/** @type {number} */ pid) {
  const children = readProc(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  const running = children.map((child) => ticksOf(child, OWN)).filter((ticks) => !Number.isNaN(ticks));
  return running.reduce((sum, ticks) => sum + ticks, ticksOf(pid, [...OWN, ...ENDED_CHILDREN])) * TICK_MS;
}

/** Resident memory now, in MB. */
export function residentMb(/** @type {number} */ pid) {
  return kilobytes(pid, 'VmRSS') / 1_024;
}

/** The largest memory that the process ever had. */
export function peakMb(/** @type {number} */ pid) {
  return kilobytes(pid, 'VmHWM') / 1_024;
}

function ticksOf(/** @type {number} */ pid, /** @type {number[]} */ places) {
  const fields = readProc(pid, 'stat')
    .replace(/^.*\) /, '')
    .split(' ');
  return places.reduce((sum, place) => sum + Number(fields[place] ?? Number.NaN), 0);
}

function kilobytes(/** @type {number} */ pid, /** @type {string} */ name) {
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readProc(pid, 'status'))?.[1] ?? Number.NaN);
}

function readProc(/** @type {number} */ pid, /** @type {string} */ name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
