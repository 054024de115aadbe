// @ts-check
/** The asset that crosses between chains on the way. */
import { amountOf, swapped } from './amounts.js';
import { TOKENS } from './tokens.js';

const USDC = new Map(TOKENS.filter(({ symbol }) => symbol === 'USDC').map((token) => [token.chainId, token]));

/** USDC where the tokens differ, which is not the token that the recipient gets. */
export function carried(
  /** @type {import('./orders.js').Order} */ { tokenIn, tokenOut, amountIn },
  /** @type {bigint} */ raw = amountIn,
) {
  const between = tokenIn.symbol === tokenOut.symbol ? tokenIn : (USDC.get(tokenIn.chainId) ?? tokenIn);
  return amountOf(between, swapped(raw, tokenIn, between));
}
