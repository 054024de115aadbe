/** Commits changes in groups of a few milliseconds, several groups at once, and passes on the committed ones. */
import { randomUUID } from 'node:crypto';

import { RECORD } from './statements.js';

const GROUP = 250;
const GATHER_MS = 4;
const MAX_GROUPS = 3;
/** While this many changes wait, no payment is polled. */
const MAX_WAITING = 300;

/** @typedef {import('./poller.js').Claim} Claim */
/** @typedef {Claim & { status: string, report: string, id: string, type: string, body: string }} Change */

export class Changes {
  /** @type {Change[]} */
  waiting = [];
  groups = 0;
  /** @type {NodeJS.Timeout | undefined} */
  gathering;

  /** @param {import('pg').Pool} pool @param {import('./deliveries.js').Deliveries} deliveries @param {number} leaseMs */
  constructor(pool, deliveries, leaseMs) {
    this.pool = pool;
    this.deliveries = deliveries;
    this.leaseMs = leaseMs;
  }

  get isFull() {
    return this.waiting.length >= MAX_WAITING || this.deliveries.isFull;
  }

  add(/** @type {Claim} */ claim, /** @type {string} */ report, /** @type {string} */ digest) {
    this.waiting.push(changeOf(claim, report, digest));
    if (this.waiting.length >= GROUP) this.flush();
    else this.gathering ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  flush() {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    while (this.groups < MAX_GROUPS && this.waiting.length > 0)
      void this.record(this.waiting.splice(0, GROUP));
  }

  async record(/** @type {Change[]} */ group) {
    this.groups += 1;
    // All processes lock rows in this order.
    group.sort((a, b) => Number(a.payment_id) - Number(b.payment_id));
    const column = (/** @type {keyof Change} */ name) => group.map((change) => change[name]);
    const columns = [column('payment_id'), column('sequence'), column('status'), column('digest')];
    const values = [...columns, column('report'), column('id'), column('body'), this.leaseMs];
    const { rows } = await this.pool.query(RECORD, values);
    const written = new Set(rows.map((row) => row.event_id));
    for (const change of group) if (written.has(change.id)) this.deliveries.send(change);
    this.groups -= 1;
    this.flush();
  }
}

/** The event as Paybell publishes it, with the report as it came. @returns {Change} */
function changeOf(
  /** @type {Claim} */ claim,
  /** @type {string} */ report,
  /** @type {string} */ reportDigest,
) {
  const { status } = JSON.parse(report);
  const id = randomUUID();
  const sequence = claim.sequence + 1;
  const type = `payment.${status.toLowerCase()}`;
  const head = `{"specversion":"1.0","id":"${id}","source":"raw-loop","type":"${type}","subject":"${claim.quote_id}"`;
  const data = `{"quoteId":"${claim.quote_id}","sequence":${sequence},"status":"${status}","previousStatus":"${claim.status}"`;
  const time = new Date().toISOString();
  const body = `${head},"time":"${time}","datacontenttype":"application/json","data":${data},"late":false,"payment":${report}}}`;
  return { ...claim, sequence, status, digest: reportDigest, report, id, type, body };
}
