// @ts-check
/** Whole lives, by timers. */

/** @typedef {import('./lives.js').Lives} Lives */
/** @typedef {readonly [afterMs: number, move: (lives: Lives, key: string, amountIn: bigint) => unknown]} Step */

const PERCENT = 100n;
const SHORT_PERCENT = 60n;
const LONG_PERCENT = 130n;
const SECOND_MS = 1_000;
/** Past the spec's 300 seconds. */
const LATE_MS = 320 * SECOND_MS;

/** @type {Step} */
const SWEPT = [SECOND_MS, (lives, key) => lives.sweep(key)];
/** @type {Step} */
const SUBMITTED = [SECOND_MS, (lives, key) => lives.submit(key)];
/** @type {Step} */
const SETTLED = [SECOND_MS, (lives, key) => lives.settle(key)];
/** @type {Step} */
const REFUNDED = [SECOND_MS, (lives, key) => lives.refund(key, { reason: 'SLIPPAGE' })];

/** Every life begins with the time until the payer pays. */
const STORIES = /** @type {const} */ ({
  plain: [deposited(20 * SECOND_MS), SWEPT, SUBMITTED, SETTLED],
  instant: [[20 * SECOND_MS, (/** @type {Lives} */ lives, /** @type {string} */ key) => lives.fill(key)]],
  underpaid: [deposited(20 * SECOND_MS, SHORT_PERCENT), SWEPT, SETTLED],
  overpaid: [deposited(20 * SECOND_MS, LONG_PERCENT), SWEPT, SUBMITTED, SETTLED],
  late: [deposited(LATE_MS), SWEPT, SUBMITTED, SETTLED],
  delayed: [deposited(20 * SECOND_MS), SWEPT, [SECOND_MS, delayed], [60 * SECOND_MS, settled]],
  refund: [deposited(20 * SECOND_MS), SWEPT, REFUNDED],
  'failure, then refund': [
    deposited(20 * SECOND_MS),
    SWEPT,
    [SECOND_MS, slipped],
    [60 * SECOND_MS, sentBack],
  ],
  'refund impossible': [deposited(20 * SECOND_MS), SWEPT, [SECOND_MS, unrefundable]],
  'blocked wallet': [deposited(20 * SECOND_MS), SWEPT, [SECOND_MS, blocked]],
  'unknown word': [deposited(20 * SECOND_MS), [SECOND_MS, puzzled], [10 * SECOND_MS, settled]],
  untidy: [deposited(20 * SECOND_MS), SWEPT, [SECOND_MS, untidied]],
  'no hashes': [[20 * SECOND_MS, withoutHashes]],
  'second deposit': [deposited(20 * SECOND_MS), SWEPT, SETTLED, deposited(5 * SECOND_MS), SETTLED],
  superseded: [deposited(20 * SECOND_MS), [SECOND_MS, superseded], SUBMITTED, SETTLED],
});

/** @typedef {keyof typeof STORIES} Story */

/** @returns {readonly Step[]} */
export function stepsOf(/** @type {Story} */ story) {
  return STORIES[story];
}

/** @returns {Step} */
function deposited(/** @type {number} */ afterMs, percent = PERCENT) {
  return [
    afterMs,
    (lives, key, amountIn) => lives.deposit(key, { amountRaw: (amountIn * percent) / PERCENT }),
  ];
}

/** Old habits of Relay's in one row: "N/A", empty hashes, milliseconds among seconds, other names. */
function untidied(/** @type {Lives} */ lives, /** @type {string} */ key) {
  const id = lives.fill(key);
  return lives.reshape(id, (row) => {
    const data = /** @type {Record<string, unknown>} */ (row['data']);
    const outTxs = /** @type {Record<string, unknown>[]} */ (data['outTxs']);
    const inTxs = /** @type {Record<string, unknown>[]} */ (data['inTxs']);
    return {
      ...row,
      supersededByRequestId: '',
      data: {
        ...data,
        failReason: 'N/A',
        refundFailReason: 'N/A',
        inTxs: inTxs.map(({ txHash, ...tx }) => ({
          ...tx,
          hash: txHash,
          timestamp: Number(tx['timestamp']) * SECOND_MS,
        })),
        outTxs: [{ ...outTxs[0], txHash: '' }, ...outTxs],
      },
    };
  });
}

function delayed(/** @type {Lives} */ lives, /** @type {string} */ key) {
  lives.delay(key);
}

function settled(/** @type {Lives} */ lives, /** @type {string} */ key) {
  lives.settle(key);
}

function slipped(/** @type {Lives} */ lives, /** @type {string} */ key) {
  lives.fail(key, { reason: 'SLIPPAGE' });
}

function sentBack(/** @type {Lives} */ lives, /** @type {string} */ key) {
  lives.refund(key, { reason: 'MANUAL_ADMIN_REFUND' });
}

function unrefundable(/** @type {Lives} */ lives, /** @type {string} */ key) {
  lives.refund(key, { reason: 'SLIPPAGE', refundFailReason: 'REFUND_RECIPIENT_IS_VASP' });
}

function blocked(/** @type {Lives} */ lives, /** @type {string} */ key) {
  lives.fail(key, { reason: 'BLOCKED_WALLET', refundFailReason: 'MANUAL_REFUND_REQUIRED' });
}

function puzzled(/** @type {Lives} */ lives, /** @type {string} */ key) {
  lives.say(key, 'rebalancing');
}

function withoutHashes(/** @type {Lives} */ lives, /** @type {string} */ key) {
  lives.fill(key, { hasHashes: false });
}

function superseded(/** @type {Lives} */ lives, /** @type {string} */ key) {
  lives.supersede(key);
}
