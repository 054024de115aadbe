/** A merchant's webhook endpoint in a process of its own: acknowledges at once, and tells how late each change came. */
import { createServer } from 'node:http';

import { answerParent } from './child.js';
import { changedAtNsIn } from './reports.js';

let received = 0;
const events = new Set();
/** @type {number[]} Milliseconds from the provider's answer to here, since last asked. */
let latencies = [];

function note(/** @type {string} */ eventId, /** @type {string} */ body, /** @type {bigint} */ now) {
  received += 1;
  events.add(eventId);
  const changedAt = changedAtNsIn(body);
  if (changedAt !== null) latencies.push(Number(now - changedAt) / 1e6);
}

const server = createServer((request, response) => {
  const now = process.hrtime.bigint();
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    note(String(request.headers['webhook-id']), Buffer.concat(chunks).toString(), now);
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;

answerParent(server, () => {
  const answer = { received, distinct: events.size, latencies };
  latencies = [];
  return answer;
});
