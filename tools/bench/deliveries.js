/** Deliveries a second: 100,000 wait when Paybell starts, and the clock runs until the last one is settled. */
import { randomBytes } from 'node:crypto';

import { Child } from './child.js';
import { shown } from './figures.js';
import { Paybell } from './paybell.js';
import { pause } from './pause.js';
import { addEndpoints, onDatabase } from './scene.js';
import { addWaitingEvents, WHOLE_LIFE } from './waiting-events.js';

const AIM = 2_500;
/** 100,000 deliveries in each backlog: every event goes to every endpoint. */
const BACKLOGS = [
  { payments: 20_000, endpoints: 1 },
  { payments: 1_000, endpoints: 20 },
];
const WINDOW_MS = 2_000;
const POLL_EVERY_MS = 50;
/** If no delivery comes for this long, no further one will. */
const STUCK_AFTER_MS = 30_000;

/** @typedef {{ rates: number[], received: any, drainedAtMs: number, cpuUs: number }} Drained */

/** @param {import('./scene.js').Place} place */
export async function measureDeliveries(place) {
  const figures = [];
  for (const backlog of BACKLOGS) figures.push(...(await measureBacklog(place, backlog)));
  return figures;
}

/** @param {import('./scene.js').Place} place @param {{ payments: number, endpoints: number }} backlog */
function measureBacklog(place, backlog) {
  return onDatabase(place, async (database, cleanup) => {
    const receiver = await Child.start('./webhook-endpoints.js');
    cleanup.push(() => receiver.stop());
    const settings = {
      DATABASE_URL: database.url,
      PROVIDER: 'sandbox',
      ROLES: 'api,dispatcher',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    const idleMb = await prepare(place, settings, receiver, backlog.endpoints);
    await addWaitingEvents(database, backlog.payments, WHOLE_LIFE);
    const paybell = await Paybell.start(place.folder, settings);
    cleanup.push(() => paybell.stop());
    const total = backlog.payments * WHOLE_LIFE.length * backlog.endpoints;
    const drained = await drain(database, receiver, paybell, total);
    return figuresOf(backlog, total, drained, { idleMb, peakMb: paybell.peakMb() });
  });
}

/** The endpoints are added before the outage, by a process that is gone when the events are recorded. */
async function prepare(
  /** @type {import('./scene.js').Place} */ place,
  /** @type {Record<string, string>} */ settings,
  /** @type {Child} */ receiver,
  /** @type {number} */ endpoints,
) {
  const paybell = await Paybell.start(place.folder, settings);
  try {
    await addEndpoints(paybell, receiver, endpoints);
    return paybell.residentMb();
  } finally {
    await paybell.stop();
  }
}

/**
 * Leaves out the processor time of the start, which belongs to no delivery.
 * @param {import('./database.js').Database} database
 * @param {Child} receiver
 * @param {Paybell} paybell
 * @param {number} total
 * @returns {Promise<Drained>}
 */
async function drain(database, receiver, paybell, total) {
  const before = { ...(await receiver.ask()), cpuMs: paybell.cpuMs() };
  const rates = [];
  let window = { fresh: before.fresh, at: nowMs() };
  let last = { fresh: before.fresh, at: nowMs() };
  while (last.fresh < total) {
    await pause(POLL_EVERY_MS);
    const { fresh } = await receiver.ask();
    const at = nowMs();
    if (fresh > last.fresh) last = { fresh, at };
    if (at - last.at > STUCK_AFTER_MS) throw new Error(`only ${fresh} of ${total} events arrived`);
    if (at - window.at < WINDOW_MS) continue;
    rates.push(((fresh - window.fresh) * 1_000) / (at - window.at));
    window = { fresh, at };
  }
  await untilSettled(database);
  const drainedAtMs = nowMs();
  const received = await receiver.ask();
  const cpuUs = ((paybell.cpuMs() - before.cpuMs) * 1_000) / (total - before.fresh);
  return { rates, received, drainedAtMs, cpuUs };
}

/** Arrived deliveries must also be settled: a backlog of outcomes does not count as speed. */
async function untilSettled(/** @type {import('./database.js').Database} */ database) {
  const giveUpAt = nowMs() + STUCK_AFTER_MS;
  while (nowMs() < giveUpAt) {
    const { pending } = await database.progress();
    if (pending === 0) return;
    await pause(POLL_EVERY_MS);
  }
  throw new Error(`all arrived, but not settled: ${JSON.stringify(await database.progress())}`);
}

/** The clock that the receiver reads too. */
function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * @param {{ endpoints: number }} backlog @param {number} total @param {Drained} drained
 * @param {{ idleMb: number, peakMb: number }} memory
 */
function figuresOf({ endpoints }, total, { rates, received, drainedAtMs, cpuUs }, { idleMb, peakMb }) {
  const { fresh, overtaken, duplicates, firstAtMs } = received;
  const to = endpoints === 1 ? 'one endpoint' : `${endpoints} endpoints`;
  return [
    {
      figure: `deliveries a second, ${shown(total)} waiting for ${to}`,
      value: (fresh * 1_000) / (drainedAtMs - firstAtMs),
      aim: AIM,
    },
    {
      figure: `… slowest and fastest ${shown(WINDOW_MS / 1_000)} s`,
      text: `${shown(Math.min(...rates))} to ${shown(Math.max(...rates))}`,
    },
    { figure: '… lost', value: total - fresh, most: 0 },
    { figure: '… out of order', value: overtaken, most: 0 },
    { figure: '… sent twice', value: duplicates },
    { figure: '… Paybell processor time a delivery', value: cpuUs, unit: 'µs' },
    { figure: '… memory before, and at the most', text: `${shown(idleMb)} MB, ${shown(peakMb)} MB` },
  ];
}
