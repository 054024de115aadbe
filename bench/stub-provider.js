/** A provider in a process of its own: answers each poll at once and counts them. */
import { createServer } from 'node:http';

import { answerParent } from './child.js';
import { reportText, STEPS } from './reports.js';

const LAST_STEP = STEPS.length - 1;
/** A pause of the machine must not be made up for by one burst. */
const MAX_OWED_CHANGES = 20;

let polls = 0;
let changes = 0;
/** Changes a second: 0 for none, Infinity for one at each poll. */
let pace = 0;
let owed = 0;
let pacedAt = performance.now();
/** @type {Map<string, { step: number, text: string }>} */
const moved = new Map();

function mayChange() {
  if (pace === 0 || pace === Infinity) return pace > 0;
  const now = performance.now();
  owed = Math.min(owed + ((now - pacedAt) * pace) / 1_000, MAX_OWED_CHANGES);
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

const server = createServer((request, response) => {
  const url = request.url ?? '';
  const text = answer(url.slice(url.lastIndexOf('/') + 1));
  polls += 1;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
});
server.keepAliveTimeout = 60_000;

answerParent(server, (/** @type {{ pace?: number | 'each' }} */ asked) => {
  if (asked.pace !== undefined) {
    pace = asked.pace === 'each' ? Infinity : asked.pace;
    owed = 0;
    pacedAt = performance.now();
  }
  return { polls, changes };
});
