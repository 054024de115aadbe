/** A chain, a token and a recipient of quotes whose output is proven. */
export const CHAIN_ID = 8453;
export const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
export const RECIPIENT = '0x1111111111111111111111111111111111111111';
export const DEPOSIT_ADDRESS = '0x2222222222222222222222222222222222222222';
const ORIGIN = { id: 10, name: 'Optimism' };
const TOKEN = { symbol: 'USDC', name: 'USD Coin', decimals: 6 };

/** A transaction hash made from a number. */
export function hashOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

/** The quote of 25 USDC to the recipient, at least 24.9. */
export function quoteOf(quoteId: string, receive: object = {}, more: object = {}): string {
  return JSON.stringify({
    success: true,
    quoteId,
    expiresIn: 300,
    send: {
      depositAddress: DEPOSIT_ADDRESS,
      chain: ORIGIN,
      token: { address: '0x0b2c639c533813f4aa9d7837caf62653d097ff85', ...TOKEN },
      amount: '25.1',
    },
    receive: {
      chain: { id: CHAIN_ID, name: 'Base' },
      token: { address: USDC, ...TOKEN },
      estimatedAmount: '25',
      estimatedAmountUsd: '25.00',
      minimumAmount: '24.9',
      ...receive,
    },
    recipient: RECIPIENT,
    ...more,
  });
}

/** A status object; one with COMPLETED has the hash of its output. */
export function statusOf(quoteId: string, status: string, outputTxHash: string | null = null): string {
  return JSON.stringify({
    success: true,
    quoteId,
    status,
    depositAddress: DEPOSIT_ADDRESS,
    deposit: status === 'AWAITING_DEPOSIT' ? null : { txHash: hashOf(1) },
    execution: { startedAt: null, completedAt: null, outputTxHash, steps: [] },
    route: {
      from: {
        chainId: ORIGIN.id,
        chainName: ORIGIN.name,
        token: '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
      },
      to: { chainId: CHAIN_ID, chainName: 'Base', token: USDC },
      amount: '25100000',
      recipient: RECIPIENT,
    },
    error: null,
  });
}
