/** A provider in a process of its own: answers each poll, after a delay if asked to, and notes how far apart they come. */
import { createServer } from 'node:net';

import { answerParent } from './child.js';
import { percentile } from './figures.js';
import { reportText, STEPS } from './reports.js';

const LAST_STEP = STEPS.length - 1;
/** A pause of the machine must not be made up for by one burst. */
const MAX_DUE_CHANGES = 20;
const END_OF_HEAD = '\r\n\r\n';

let polls = 0;
let changes = 0;
/** From a poll's arrival to its answer. */
let delayMs = 0;
/** Changes a second: 0 for none, Infinity for one at each poll. */
let rateLimit = 0;
let owed = 0;
let pacedAt = performance.now();
/** @type {Map<string, { step: number, text: string }>} */
const moved = new Map();
/** When each payment was polled last; null while nobody wants to know. @type {Map<string, number> | null} */
let polledAt = null;
/** Milliseconds between two polls of a payment. @type {number[]} */
let gaps = [];

function mayChange() {
  if (rateLimit === 0 || rateLimit === Infinity) return rateLimit > 0;
  const now = performance.now();
  owed = Math.min(owed + ((now - pacedAt) * rateLimit) / 1_000, MAX_DUE_CHANGES);
  pacedAt = now;
  if (owed < 1) return false;
  owed -= 1;
  return true;
}

function answer(/** @type {string} */ quoteId) {
  const known = moved.get(quoteId) ?? { step: 0, text: '' };
  if (known.step === LAST_STEP || !mayChange()) return known.step === 0 ? reportText(quoteId) : known.text;
  const step = known.step + 1;
  const text = reportText(quoteId, step, String(process.hrtime.bigint()));
  moved.set(quoteId, { step, text });
  changes += 1;
  return text;
}

function note(/** @type {string} */ quoteId) {
  polls += 1;
  if (polledAt === null) return;
  const now = performance.now();
  const before = polledAt.get(quoteId);
  if (before !== undefined) gaps.push(now - before);
  polledAt.set(quoteId, now);
}

function respond(/** @type {import('node:net').Socket} */ socket, /** @type {string} */ quoteId) {
  const text = answer(quoteId);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
  socket.write(head + END_OF_HEAD + text);
}

/** Of HTTP only what a poll needs: Node's own server would take much of the processor from those it measures. */
const server = createServer({ noDelay: true }, (socket) => {
  let unread = '';
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (/** @type {string} */ chunk) => {
    unread += chunk;
    for (let end = unread.indexOf(END_OF_HEAD); end !== -1; end = unread.indexOf(END_OF_HEAD)) {
      const [, path = ''] = unread.split(' ', 2);
      unread = unread.slice(end + END_OF_HEAD.length);
      const quoteId = path.slice(path.lastIndexOf('/') + 1);
      note(quoteId);
      // Node keeps timers of one length in one list: they cost next to nothing.
      if (delayMs === 0) respond(socket, quoteId);
      else setTimeout(respond, delayMs, socket, quoteId);
    }
  });
});

/** @typedef {{ rateLimit?: number | 'each', delayMs?: number, watch?: boolean, tellGaps?: boolean }} Asked */
answerParent(server, (/** @type {Asked} */ asked) => {
  if (asked.rateLimit !== undefined) {
    rateLimit = asked.rateLimit === 'each' ? Infinity : asked.rateLimit;
    owed = 0;
    pacedAt = performance.now();
  }
  delayMs = asked.delayMs ?? delayMs;
  // A watch begins anew: of what came before it nothing is known.
  if (asked.watch === true) {
    polledAt = new Map();
    gaps = [];
  }
  const { user, system } = process.cpuUsage();
  const published = { polls, changes, cpuMs: (user + system) / 1_000, watched: polledAt?.size ?? 0 };
  return asked.tellGaps === true ? { ...published, gaps: summary() } : published;
});

/** A quarter of a million numbers stay where they are. */
function summary() {
  const longest = gaps.reduce((most, gap) => Math.max(most, gap), 0);
  return { count: gaps.length, p50: percentile(gaps, 0.5), p99: percentile(gaps, 0.99), longest };
}
