import { fieldsOf, listOf, type Fields } from '../../shared/fields.ts';
import { type Check, failedOf } from '../../shared/quote-reading.ts';
import type { QuoteOrder } from './relay-order.ts';
import { readDecimals, readRaw } from '../../shared/raw-amount.ts';
import { isNative, payableAt } from '../catalog/parse-chains.ts';
import { isSameAddress, isWalletAddress } from '../../shared/vm-addresses.ts';

/** The unchecked parts of Relay's quote. */
export interface QuoteParts {
  readonly requestId: string | null;
  readonly depositAddress: string | null;
  readonly steps: readonly unknown[];
  readonly details: Fields;
  readonly currencyIn: Fields;
  readonly currencyOut: Fields;
  /** The payments that the order makes on the destination chain; null when the quote does not state them. */
  readonly outputPayments: readonly unknown[] | null;
}

/** A call of `transfer(address,uint256)`; bytes after the arguments have no effect. */
const TRANSFER = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})(?:[0-9a-f]{2})*$/i;
const NO_CALL = new Set<unknown>([undefined, null, '', '0x']);

/** The name of the first check that fails: the quote differs from the order or would not pay the deposit address. Null when all pass. */
export function failedCheck(parts: QuoteParts, order: QuoteOrder): string | null {
  return failedOf([
    ['request id', parts.requestId !== null],
    ['deposit step', hasOneDepositStep(parts)],
    ['deposit address', isUsableAddress(parts.depositAddress, order)],
    ...priceChecks(parts, order),
    ['payment of the deposit address', paysDeposit(parts, order)],
    ['recipient of the order', paysRecipientOnly(parts, order)],
  ]);
}

/** Does the same as `failedCheck`, for a quote without a deposit address. */
export function failedPriceCheck(parts: QuoteParts, order: QuoteOrder): string | null {
  return failedOf(priceChecks(parts, order));
}

function priceChecks({ details, currencyIn, currencyOut }: QuoteParts, order: QuoteOrder): readonly Check[] {
  const [sent, received] = [readRaw(currencyIn['amount']) ?? 0n, readRaw(currencyOut['amount']) ?? 0n];
  const asked = BigInt(order.amount);
  return [
    ['recipient', isRecipient(details['recipient'], order)],
    ['destination token', isToken(currencyOut, order.to.chain, order.to.address)],
    ['origin token', isOriginToken(currencyIn, order)],
    ['amount', order.isExactOutput ? sent > 0n && received === asked : sent === asked],
    ['estimated amount', isEstimate(currencyOut, order)],
  ];
}

/** The payer makes one plain transfer, and could not do a second step. */
function hasOneDepositStep({ steps }: QuoteParts): boolean {
  const { id = 'deposit' } = fieldsOf(steps[0]);
  return steps.length === 1 && id === 'deposit';
}

function isUsableAddress(address: string | null, { from }: QuoteOrder): boolean {
  const { vmType } = from.chain;
  if (address === null || !isWalletAddress(address, vmType)) return false;
  // Money that is sent to a token's contract is lost.
  return !isSameAddress(address, from.token.address, vmType);
}

function isRecipient(address: unknown, { to, recipient }: QuoteOrder): boolean {
  return typeof address === 'string' && isSameAddress(address, recipient, to.chain.vmType);
}

function isToken(amount: Fields, chain: { id: number; vmType: string }, wanted: string): boolean {
  const { chainId, address } = fieldsOf(amount['currency']);
  return chainId === chain.id && typeof address === 'string' && isSameAddress(address, wanted, chain.vmType);
}

/** Checks the decimals too: with other decimals the same digits are another amount. */
function isOriginToken(amount: Fields, { from }: QuoteOrder): boolean {
  const { decimals } = fieldsOf(amount['currency']);
  return decimals === from.token.decimals && isToken(amount, from.chain, from.token.address);
}

/** Checks the decimals too, for a token in the list of chains. */
function isEstimate({ amount, currency }: Fields, { to }: QuoteOrder): boolean {
  const decimals = readDecimals(fieldsOf(currency)['decimals']);
  const known = payableAt(to.chain, to.address)?.decimals ?? decimals;
  return decimals !== null && decimals === known && (readRaw(amount) ?? 0n) > 0n;
}

/** Every part of a step is optional in Relay's types: each part that is present must pay the deposit address and no other. */
function paysDeposit({ steps, depositAddress, currencyIn }: QuoteParts, order: QuoteOrder): boolean {
  const items = listOf(fieldsOf(steps[0])['items']);
  if (depositAddress === null) return false;
  const isEvm = order.from.chain.vmType === 'evm';
  if (isEvm && items.length > 1) return false;
  const sent = readRaw(currencyIn['amount']) ?? 0n;
  const pays = isEvm ? sendsOnEvm : maySend;
  return items.every((item) => pays(dataOf(item), depositAddress, order, sent));
}

function dataOf(item: unknown): Fields {
  return fieldsOf(fieldsOf(item)['data']);
}

function sendsOnEvm(data: Fields, depositAddress: string, { from }: QuoteOrder, sent: bigint): boolean {
  const { to, value, chainId } = data;
  if (chainId !== undefined && chainId !== from.chain.id) return false;
  const isToken = !isNative(from.chain, from.token.address);
  if (NO_CALL.has(data['data'])) {
    const isAmount = value === undefined || isToken || readRaw(value) === sent;
    return isAmount && (to === undefined || isSame(to, depositAddress));
  }
  const [, target, units] = TRANSFER.exec(String(data['data'])) ?? [];
  if (!isToken || target === undefined || units === undefined) return false;
  const isOfToken = isSame(to, from.token.address) && (readRaw(value ?? '0') ?? 1n) === 0n;
  return isOfToken && isSame(`0x${target}`, depositAddress) && BigInt(`0x${units}`) === sent;
}

function isSame(address: unknown, other: string): boolean {
  return typeof address === 'string' && isSameAddress(address, other, 'evm');
}

/** Checks readable parts only: transactions of other virtual machines have many shapes. */
function maySend(data: Fields, depositAddress: string, { from }: QuoteOrder): boolean {
  const { to, chainId, instructions } = data;
  const { chain, token } = from;
  if (chainId !== undefined && chainId !== chain.id) return false;
  const isOfToken = !isNative(chain, token.address);
  // Instructions of a token transfer name token accounts, not their owners.
  if (
    !isOfToken &&
    Array.isArray(instructions) &&
    !instructions.some((one) => isNamedIn(one, depositAddress))
  ) {
    return false;
  }
  if (typeof to !== 'string') return true;
  const isToToken = isOfToken && isSameAddress(to, token.address, chain.vmType);
  return isToToken || isSameAddress(to, depositAddress, chain.vmType);
}

function isNamedIn(instruction: unknown, address: string): boolean {
  return listOf(fieldsOf(instruction)['keys']).some((key) => fieldsOf(key)['pubkey'] === address);
}

function paysRecipientOnly({ outputPayments }: QuoteParts, order: QuoteOrder): boolean {
  if (outputPayments === null) return true;
  return outputPayments.every((payment) => isRecipient(fieldsOf(payment)['recipient'], order));
}
