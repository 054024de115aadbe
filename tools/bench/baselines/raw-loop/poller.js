/** Claims due payments in batches, polls them, and passes on the changed ones. */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { Pool } from 'undici';

import { CLAIM, EARLIEST_DUE } from './statements.js';

const BATCH = 500;
/** The wait before the next claim when the last one found fewer than a batch. */
const IDLE_MS = 50;
const LOOK_FOR_EARLIEST_MS = 1_000;
const FILL_EVERY_MS = 20;

/** @typedef {{ payment_id: string, quote_id: string, status: string, digest: string, sequence: number }} Claim */

export function digestOf(/** @type {Buffer} */ body) {
  return hash('sha1', body, 'base64');
}

/** One request, whose methods undici calls. */
class Poll {
  status = 0;
  /** @type {Buffer | null} */
  body = null;

  /** @param {Claim} claim @param {Poller} poller */
  constructor(claim, poller) {
    this.claim = claim;
    this.poller = poller;
  }

  onRequestStart() {}

  onResponseStart(/** @type {unknown} */ _, /** @type {number} */ status) {
    this.status = status;
  }

  onResponseData(/** @type {unknown} */ _, /** @type {Buffer} */ chunk) {
    this.body = this.body === null ? chunk : Buffer.concat([this.body, chunk]);
  }

  onResponseEnd() {
    if (this.status === 200 && this.body !== null) this.poller.answered(this.claim, this.body);
    this.poller.ended();
  }

  /** The payment is due again after its interval. */
  onResponseError() {
    this.poller.ended();
  }
}

export class Poller {
  /** @type {Claim[]} */
  claimed = [];
  inFlight = 0;
  claiming = false;
  earliest = '-infinity';

  /**
   * @param {{ query: import('pg').Pool['query'] }} pool commits of claims need not wait for the disk
   * @param {{ providerUrl: string, intervalMs: number, concurrency: number }} settings
   * @param {{ isFull: boolean, add: (claim: Claim, body: string, digest: string) => void }} changes
   */
  constructor(pool, settings, changes) {
    this.pool = pool;
    this.settings = settings;
    this.changes = changes;
    this.provider = new Pool(settings.providerUrl, { connections: settings.concurrency, pipelining: 1 });
    setInterval(() => void this.findEarliest(), LOOK_FOR_EARLIEST_MS);
    // While changes wait for their commit or their sending, no request ends that would start the next one.
    setInterval(() => this.fill(), FILL_EVERY_MS);
  }

  answered(/** @type {Claim} */ claim, /** @type {Buffer} */ body) {
    const digest = digestOf(body);
    if (digest !== claim.digest) this.changes.add(claim, body.toString(), digest);
  }

  ended() {
    this.inFlight -= 1;
    this.fill();
  }

  fill() {
    while (this.inFlight < this.settings.concurrency && !this.changes.isFull) {
      const claim = this.claimed.pop();
      if (claim === undefined) break;
      this.inFlight += 1;
      this.provider.dispatch({ path: `/api/status/${claim.quote_id}`, method: 'GET' }, new Poll(claim, this));
    }
    if (this.claimed.length < BATCH / 2 && !this.claiming && !this.changes.isFull) void this.claim();
  }

  async claim() {
    this.claiming = true;
    const { rows } = await this.pool.query(CLAIM, [BATCH, this.settings.intervalMs, this.earliest]);
    this.claimed = rows.concat(this.claimed);
    this.fill();
    if (rows.length < BATCH) await sleep(IDLE_MS);
    this.claiming = false;
  }

  async findEarliest() {
    const { rows } = await this.pool.query(EARLIEST_DUE, [this.earliest]);
    this.earliest = rows[0].due_at ?? this.earliest;
  }
}
