/**
 * Messages a second: 100,000 events wait for RabbitMQ when Paybell starts, and the clock runs until the last one is settled.
 */
import { Child } from './child.js';
import { shown } from './figures.js';
import { Paybell } from './paybell.js';
import { pause } from './pause.js';
import { onDatabase } from './scene.js';
import { addWaitingEvents, WHOLE_LIFE } from './waiting-events.js';

const AIM = 4_000;
const PAYMENTS = 20_000;
const TOTAL = PAYMENTS * WHOLE_LIFE.length;
const WINDOW_MS = 2_000;
const POLL_EVERY_MS = 50;
/** If no message comes for this long, no further one will. */
const STUCK_AFTER_MS = 30_000;

/** @typedef {import('./broker.js').Broker} Broker */

/** @param {import('./scene.js').Place} place */
export function measureMessages(place) {
  const { broker } = place;
  if (broker === null) return Promise.resolve([]);
  return onDatabase(place, async (database, cleanup) => {
    await database.pool.query(ENABLE_EXCHANGE);
    await addWaitingEvents(database, PAYMENTS, WHOLE_LIFE);
    const settings = {
      DATABASE_URL: database.url,
      PROVIDER: 'sandbox',
      ROLES: 'dispatcher',
      ...broker.environment,
    };
    const paybell = await Paybell.start(place.folder, settings, false);
    cleanup.push(() => paybell.stop());
    const published = await untilPublished(broker, TOTAL);
    await untilSettled(database);
    const seconds = (performance.now() - published.firstAt) / 1_000;
    const cost = { cpuUs: (paybell.cpuMs() * 1_000) / TOTAL, peakMb: paybell.peakMb() };
    const consumed = await consume(broker);
    return figuresOf({
      perSecond: (TOTAL - published.firstCount) / seconds,
      ...published,
      ...cost,
      consumed,
    });
  });
}

/**
 * The rate at which `total` messages arrive in the queue; the clock starts with the first ones.
 * @param {Broker} broker
 * @param {number} total
 */
async function untilPublished(broker, total) {
  const rates = [];
  const firstCount = await firstOf(broker);
  const firstAt = performance.now();
  let window = { count: firstCount, at: firstAt };
  let last = window;
  while (last.count < total) {
    await pause(POLL_EVERY_MS);
    const now = { count: await broker.queued(), at: performance.now() };
    if (now.count > last.count) last = now;
    if (now.at - last.at > STUCK_AFTER_MS) throw new Error(`only ${now.count} of ${total} were published`);
    if (now.at - window.at < WINDOW_MS) continue;
    rates.push(((now.count - window.count) * 1_000) / (now.at - window.at));
    window = now;
  }
  return { firstCount, firstAt, rates };
}

async function firstOf(/** @type {Broker} */ broker) {
  const before = await broker.queued();
  const giveUpAt = performance.now() + STUCK_AFTER_MS;
  while (performance.now() < giveUpAt) {
    const count = await broker.queued();
    if (count > before) return count;
    await pause(POLL_EVERY_MS);
  }
  throw new Error('nothing was published');
}

/**
 * A confirm counts once it is committed: a backlog of outcomes does not count as speed. @param
 * {import('./database.js').Database} database
 */
async function untilSettled(database) {
  const giveUpAt = performance.now() + STUCK_AFTER_MS;
  while (performance.now() < giveUpAt) {
    if ((await database.progress()).pending === 0) return;
    await pause(POLL_EVERY_MS);
  }
  throw new Error(`all published, but not settled: ${JSON.stringify(await database.progress())}`);
}

/** The messages that a subscriber finds in the queue. @param {Broker} broker */
async function consume({ url, queue }) {
  const consumer = await Child.start('./message-consumer.js');
  try {
    await consumer.ask({ url, queue });
    let before = -1;
    for (;;) {
      await pause(WINDOW_MS);
      const { fresh, duplicates, overtaken } = await consumer.ask();
      if (fresh + duplicates === before) return { fresh, duplicates, overtaken };
      before = fresh + duplicates;
    }
  } finally {
    await consumer.stop();
  }
}

/**
 * @param {{ perSecond: number, rates: number[], cpuUs: number, peakMb: number,
 *   consumed: { fresh: number, duplicates: number, overtaken: number } }} measured
 */
function figuresOf({ perSecond, rates, cpuUs, peakMb, consumed }) {
  return [
    {
      figure: `confirmed messages a second, ${shown(TOTAL)} waiting for a quorum queue`,
      value: perSecond,
      aim: AIM,
    },
    {
      figure: `… slowest and fastest ${shown(WINDOW_MS / 1_000)} s`,
      text: `${shown(Math.min(...rates))} to ${shown(Math.max(...rates))}`,
    },
    { figure: '… lost', value: TOTAL - consumed.fresh, most: 0 },
    { figure: '… out of order', value: consumed.overtaken, most: 0 },
    { figure: '… sent twice', value: consumed.duplicates },
    { figure: '… Paybell processor time a message, its start included', value: cpuUs, unit: 'µs' },
    { figure: '… memory at the most', value: peakMb, unit: 'MB' },
  ];
}

const ENABLE_EXCHANGE = `INSERT INTO destination (id, kind, enabled) VALUES (gen_random_uuid(), 'rabbitmq', true)`;
