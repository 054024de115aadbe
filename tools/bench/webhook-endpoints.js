/**
 * Webhook endpoints in their own process, each on its own port like shops on their own hosts: they check the order of events,
 * measure their latency, and can be slow.
 */
import { FastServer } from '../../build/tools/testkit/fast-server.js';
import { answerParent } from './child.js';
import { percentile } from './figures.js';
import { changedAtNsIn } from './reports.js';

const ACKNOWLEDGED = 'HTTP/1.1 204 No Content\r\n\r\n';

/** @typedef {'fresh' | 'duplicates' | 'overtaken'} Counted */

class Endpoint {
  delayMs = 0;
  fresh = 0;
  duplicates = 0;
  /** Events whose first arrival came after a later event of their payment. */
  overtaken = 0;
  /** Milliseconds from the provider's answer to the first byte, since last asked. @type {number[]} */
  latencies = [];
  /** A bit for each received sequence number of a payment. @type {Map<string, number>} */
  seen = new Map();

  note(/** @type {string} */ body, /** @type {bigint} */ at) {
    const { quoteId, sequence } = JSON.parse(body).data;
    const before = this.seen.get(quoteId) ?? 0;
    const bit = 1 << sequence;
    if ((before & bit) !== 0) {
      this.duplicates += 1;
      return;
    }
    this.fresh += 1;
    if (before > bit) this.overtaken += 1;
    this.seen.set(quoteId, before | bit);
    const changedAt = changedAtNsIn(body);
    if (changedAt !== null) this.latencies.push(Number(at - changedAt) / 1e6);
  }
}

/** @type {Endpoint[]} */
const endpoints = [];
let firstAtNs = 0n;

/** @type {(endpoint: Endpoint) => Parameters<typeof FastServer.start>[0]} */
const answerFor = (endpoint) => (request, answer) => {
  if (firstAtNs === 0n) firstAtNs = request.atNs;
  endpoint.note(request.body, request.atNs);
  if (endpoint.delayMs === 0) answer(ACKNOWLEDGED);
  else setTimeout(() => answer(ACKNOWLEDGED), endpoint.delayMs);
};

async function open(/** @type {number} */ count) {
  const ports = [];
  for (let opened = 0; opened < count; opened += 1) {
    const endpoint = new Endpoint();
    endpoints.push(endpoint);
    const { port } = await FastServer.start(answerFor(endpoint));
    ports.push(port);
  }
  return ports;
}

function sum(/** @type {Endpoint[]} */ chosen, /** @type {Counted} */ what) {
  return chosen.reduce((total, endpoint) => total + endpoint[what], 0);
}

/** Takes the latencies of these endpoints, empties the lists of all endpoints, and returns count, p50 and p99. */
function latenciesOf(/** @type {Endpoint[]} */ chosen) {
  const latencies = chosen.flatMap((endpoint) => endpoint.latencies);
  for (const endpoint of endpoints) endpoint.latencies = [];
  return { count: latencies.length, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

/**
 * A question is about `count` endpoints from `first` on. `delayMs` changes their delay.
 * @typedef {{ open?: number, first?: number, count?: number, delayMs?: number, wantsLatencies?: boolean }} Asked
 */
answerParent('', async (/** @type {Asked} */ asked) => {
  if (asked.open !== undefined) return { ports: await open(asked.open) };
  const first = asked.first ?? 0;
  const chosen = endpoints.slice(first, first + (asked.count ?? endpoints.length));
  for (const endpoint of chosen) {
    endpoint.delayMs = asked.delayMs ?? endpoint.delayMs;
  }
  const counts = {
    fresh: sum(chosen, 'fresh'),
    duplicates: sum(chosen, 'duplicates'),
    overtaken: sum(chosen, 'overtaken'),
    firstAtMs: Number(firstAtNs) / 1e6,
  };
  return asked.wantsLatencies === true ? { ...counts, latencies: latenciesOf(chosen) } : counts;
});
