/** The stub provider's report about a payment: the specification's whole Payment status object, of a usual size. */

const CREATED_AT = 1_760_000_000;
/** A far expiry: a near one would change the interval of the polls. */
const EXPIRES_AT = 2_000_000_000;
const TOKEN = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

/** The status of a payment after this many moves. */
export const STEPS = ['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];

/** `changedAtNs` travels through Paybell to the webhook receiver, which computes the latency from it. */
export function reportText(/** @type {string} */ quoteId, step = 0, changedAtNs = '0') {
  const hash = `0x${quoteId.replaceAll('-', '')}${quoteId.replaceAll('-', '')}`;
  return JSON.stringify({
    success: true,
    quoteId,
    status: STEPS[step],
    createdAt: CREATED_AT,
    expiresAt: EXPIRES_AT,
    depositAddress: '0x8ba1f109551bd432803012645ac136ddd64dba72',
    deposit: step < 1 ? null : { txHash: hash, amount: '250000000', confirmations: 12 },
    gas: null,
    execution: {
      startedAt: step < 2 ? null : CREATED_AT + 60,
      completedAt: step < 3 ? null : CREATED_AT + 90,
      outputTxHash: step < 3 ? null : hash,
      steps: step < 2 ? [] : [{ kind: 'bridge', status: step < 3 ? 'pending' : 'done' }],
    },
    route: {
      from: { chainId: 8453, chainName: 'Base', token: TOKEN },
      to: { chainId: 42_161, chainName: 'Arbitrum One', token: TOKEN },
      amount: '250000000',
      recipient: '0x1234567890abcdef1234567890abcdef12345678',
    },
    error: null,
    changedAtNs,
  });
}

/** The instant in the report of a webhook's body; null without one. */
export function changedAtNsIn(/** @type {string} */ body) {
  const found = /"changedAtNs":"(\d+)"/.exec(body);
  return found === null ? null : BigInt(found[1] ?? '0');
}
