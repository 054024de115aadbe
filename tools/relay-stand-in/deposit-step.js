// @ts-check
/** The only step of a quote: the payer's own transfer. */
import { addressFrom } from '../stand-in/addresses.js';
import { depositoryOf } from './chain-objects.js';
import { knownChain } from './chains.js';

/** @typedef {import('./orders.js').Order} Order */

const TRANSFER = 'a9059cbb';
const WORD_DIGITS = 64;
const SPL_TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const SYSTEM = '11111111111111111111111111111111';
const SYSTEM_TRANSFER = 2;
const SPL_TRANSFER_CHECKED = 12;

/** A step as `/quote/v2` shows it; without a deposit address it pays the depository. */
export function depositStep(/** @type {Order} */ order, /** @type {string} */ shownAddress) {
  const check = { endpoint: `/intents/status/v3?requestId=${order.id}`, method: 'GET' };
  return {
    id: 'deposit',
    action: 'Confirm transaction in your wallet',
    description: `Depositing funds to the relayer to execute the swap for ${order.tokenOut.symbol}`,
    kind: 'transaction',
    requestId: order.id,
    depositAddress: shownAddress,
    items: [{ status: 'incomplete', data: transferOf(order, shownAddress), check }],
  };
}

function transferOf(/** @type {Order} */ order, /** @type {string} */ shownAddress) {
  const chain = knownChain(order.tokenIn.chainId);
  const to = shownAddress === '' ? depositoryOf(chain) : shownAddress;
  if (chain.vmType === 'evm') return evmTransfer(order, to);
  if (chain.vmType === 'svm') return solanaTransfer(order, to);
  // Relay does not document the items of the other families.
  return { to, amount: order.amountIn.toString(), chainId: chain.id };
}

function evmTransfer(/** @type {Order} */ { user, tokenIn, amountIn }, /** @type {string} */ to) {
  const isNative = tokenIn.address === knownChain(tokenIn.chainId).native;
  const pays = isNative
    ? { to, data: '0x', value: amountIn.toString() }
    : { to: tokenIn.address, data: transferCall(to, amountIn), value: '0' };
  const gas = { gas: isNative ? '33000' : '70000', maxFeePerGas: '1200000', maxPriorityFeePerGas: '1000000' };
  return { from: user, ...pays, chainId: tokenIn.chainId, ...gas };
}

/** ERC-20 `transfer(to, amount)`. */
function transferCall(/** @type {string} */ to, /** @type {bigint} */ amount) {
  const words = [to.slice(2).toLowerCase(), amount.toString(16)];
  return `0x${TRANSFER}${words.map((word) => word.padStart(WORD_DIGITS, '0')).join('')}`;
}

function solanaTransfer(/** @type {Order} */ { user, tokenIn, amountIn }, /** @type {string} */ to) {
  const isNative = tokenIn.address === knownChain(tokenIn.chainId).native;
  const instructions = isNative
    ? [instruction(SYSTEM, [user, to], [SYSTEM_TRANSFER, 0, 0, 0], amountIn)]
    : splTransfer(user, tokenIn.address, to, amountIn);
  return { instructions, addressLookupTableAddresses: [] };
}

/** The token account of the deposit address is made, then paid. */
function splTransfer(
  /** @type {string} */ user,
  /** @type {string} */ mint,
  /** @type {string} */ to,
  /** @type {bigint} */ amount,
) {
  const [from, into] = [user, to].map((owner) => addressFrom(`${owner}:${mint}`, 'svm'));
  return [
    instruction(ASSOCIATED_TOKEN, [user, into ?? '', to, mint, SYSTEM, SPL_TOKEN], [1]),
    instruction(SPL_TOKEN, [from ?? '', mint, into ?? '', user], [SPL_TRANSFER_CHECKED], amount),
  ];
}

function instruction(
  /** @type {string} */ programId,
  /** @type {readonly string[]} */ accounts,
  /** @type {readonly number[]} */ head,
  /** @type {bigint | null} */ amount = null,
) {
  const lamports = Buffer.alloc(amount === null ? 0 : 8);
  if (amount !== null) lamports.writeBigUInt64LE(amount);
  const keys = accounts.map((pubkey, at) => ({ pubkey, isSigner: at === 0, isWritable: at < 2 }));
  return { keys, programId, data: Buffer.concat([Buffer.from(head), lamports]).toString('hex') };
}
