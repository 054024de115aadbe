/** How one key's quotes suffer from another key's reads: 40 counts at once, 24 pages, and 1,500 streams that begin at once. */
import { once } from 'node:events';
import { connect } from 'node:net';

import { quoteRequest } from '../../build/tools/testkit/provider-objects.js';
import { copyPayment } from '../../build/tools/testkit/stored-copies.js';
import { percentile } from './figures.js';
import { pause } from './pause.js';
import { Connection } from './requests.js';
import { onScene } from './scene.js';

export const READS_WITHIN_MS = 10 * 60_000;
const SETTINGS = { POLL_INTERVAL_MS: '300000' };
const PAYMENTS = 100_000;
const COUNTS = 40;
const PAGES = ['/api/provider', '/api/attention', '/api/providers'];
const PAGES_AT_ONCE = 24;
const STREAMS = 1_500;
const QUOTES_AT_ONCE = 2;
const ROUNDS = 3;
const WINDOW_MS = 8_000;
const STREAMS_WINDOW_MS = 5_000;
const MOST_TIMES = 3;
const COUNT = '/api/payment-count?token=NOPE';

/** @param {import('./scene.js').Place} place */
export function measureReads(place) {
  return onScene(place, SETTINGS, async ({ database, paybell }) => {
    const { quoteId } = await paybell.quote({ ...quoteRequest(), orderId: 'A-1' });
    await paybell.fetch(`/api/payments/${quoteId}/refresh`, { method: 'POST' });
    await copyPayment(database.pool.query.bind(database.pool), quoteId, PAYMENTS);
    await database.pool.query('VACUUM ANALYZE');
    const [shop, viewer, consumer] = await Promise.all(
      ['shop', 'viewer', 'shop'].map((role, index) => newKey(paybell, `${role}-${index}`, role)),
    );
    const quotes = (/** @type {() => boolean} */ isOver) => quoteUntil(paybell, shop ?? '', isOver);
    await quotes(after(WINDOW_MS / 4));
    const [alone, beside] = [new Answers(), new Answers()];
    const counts = new Answers();
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.add(await quotes(after(WINDOW_MS)));
      const isOver = after(WINDOW_MS);
      const counting = Array.from({ length: COUNTS }, () =>
        requestUntil(paybell, getOf(COUNT, viewer ?? ''), isOver),
      );
      beside.add(await quotes(isOver));
      for (const each of await Promise.all(counting)) counts.add(each);
    }
    const besidePages = new Answers();
    const pages = new Answers();
    for (let round = 0; round < ROUNDS; round += 1) {
      const isOver = after(WINDOW_MS);
      const reading = Array.from({ length: PAGES_AT_ONCE }, (_each, index) =>
        requestUntil(paybell, getOf(PAGES[index % PAGES.length] ?? '', viewer ?? ''), isOver),
      );
      besidePages.add(await quotes(isOver));
      for (const each of await Promise.all(reading)) pages.add(each);
    }
    const isOver = after(STREAMS_WINDOW_MS);
    const [opened, besideStreams] = await Promise.all([
      openStreams(paybell, consumer ?? '', isOver),
      quotes(isOver),
    ]);
    const times = (/** @type {Answers} */ each) => each.p99 / alone.p99;
    return [
      { figure: `quotes alone, ${QUOTES_AT_ONCE} at once, p99`, value: alone.p99, unit: 'ms' },
      {
        figure: `… beside ${COUNTS} counts of another key among ${PAYMENTS} payments`,
        value: beside.p99,
        unit: 'ms',
      },
      { figure: '… times as long', value: times(beside), most: MOST_TIMES },
      { figure: '… p50 alone, beside', text: `${alone.p50.toFixed(1)}, ${beside.p50.toFixed(1)} ms` },
      { figure: '… slowest beside, answers', text: `${beside.slowest.toFixed(0)} ms, ${beside.statuses}` },
      { figure: '… the counts', text: `p50 ${counts.p50.toFixed(0)} ms, ${counts.statuses}` },
      { figure: `quotes beside ${PAGES_AT_ONCE} reads of pages, p99`, value: besidePages.p99, unit: 'ms' },
      { figure: '… times as long', value: times(besidePages), most: MOST_TIMES },
      { figure: '… p50 beside', value: besidePages.p50, unit: 'ms' },
      { figure: '… the pages', text: `p50 ${pages.p50.toFixed(1)} ms, ${pages.statuses}` },
      {
        figure: `quotes beside ${STREAMS} streams that begin at once, p99`,
        value: besideStreams.p99,
        unit: 'ms',
      },
      { figure: '… times as long', value: times(besideStreams) },
      {
        figure: '… slowest, answers',
        text: `${besideStreams.slowest.toFixed(0)} ms, ${besideStreams.statuses}`,
      },
      { figure: '… streams that were opened', value: opened.count, aim: STREAMS },
      { figure: '… the last after', value: opened.lastMs, unit: 'ms' },
    ];
  });
}

/** How long requests took, and what they were answered. */
class Answers {
  /** @type {number[]} */
  latencies = [];
  /** @type {Map<number, number>} */
  counted = new Map();

  note(/** @type {number} */ ms, /** @type {number} */ status) {
    this.latencies.push(ms);
    this.counted.set(status, (this.counted.get(status) ?? 0) + 1);
  }

  add(/** @type {Answers} */ { latencies, counted }) {
    this.latencies.push(...latencies);
    for (const [status, count] of counted) this.counted.set(status, (this.counted.get(status) ?? 0) + count);
  }

  get p50() {
    return percentile(this.latencies, 0.5);
  }

  get p99() {
    return percentile(this.latencies, 0.99);
  }

  get slowest() {
    return percentile(this.latencies, 1);
  }

  get statuses() {
    return [...this.counted].map(([status, count]) => `${count} × ${status}`).join(', ');
  }
}

function after(/** @type {number} */ ms) {
  const at = performance.now() + ms;
  return () => performance.now() >= at;
}

/** @param {import('./paybell.js').Paybell} paybell @param {string} name @param {string} role */
async function newKey(paybell, name, role) {
  const answer = await paybell.fetch('/api/keys', { method: 'POST', body: { name, role } });
  if (answer.status !== 201) throw new Error(`no key was made: ${await answer.text()}`);
  return (await answer.json()).key;
}

function getOf(/** @type {string} */ path, /** @type {string} */ key) {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`;
}

/** @param {import('./paybell.js').Paybell} paybell @param {string} request @param {() => boolean} isOver */
async function requestUntil(paybell, request, isOver) {
  const answers = new Answers();
  const connection = await Connection.open(paybell.port);
  while (!isOver()) {
    const sentAt = performance.now();
    const { status } = await connection.send(request);
    answers.note(performance.now() - sentAt, status);
  }
  connection.close();
  return answers;
}

/** @param {import('./paybell.js').Paybell} paybell @param {string} key @param {() => boolean} isOver */
async function quoteUntil(paybell, key, isOver) {
  const body = JSON.stringify(quoteRequest());
  const request =
    `POST /api/quote HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const all = new Answers();
  const workers = Array.from({ length: QUOTES_AT_ONCE }, () => requestUntil(paybell, request, isOver));
  for (const each of await Promise.all(workers)) all.add(each);
  return all;
}

/** @param {import('./paybell.js').Paybell} paybell @param {string} key @param {() => boolean} isOver */
async function openStreams(paybell, key, isOver) {
  const beganAt = performance.now();
  const opened = { count: 0, lastMs: 0 };
  const sockets = Array.from({ length: STREAMS }, () => connect({ host: '127.0.0.1', port: paybell.port }));
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    void once(socket, 'connect').then(
      () => socket.write(getOf('/api/events/stream', key)),
      () => undefined,
    );
    socket.once('data', (data) => {
      if (!String(data).startsWith('HTTP/1.1 200')) return;
      opened.count += 1;
      opened.lastMs = performance.now() - beganAt;
    });
  }
  while (!isOver()) await pause(50);
  for (const socket of sockets) socket.destroy();
  return opened;
}
