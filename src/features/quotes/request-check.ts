import { Injectable } from '@nestjs/common';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

import { kindOf } from '../../domain/chains/chain-kinds.ts';
import { scriptOf } from '../../domain/chains/utxo-script.ts';
import { withDecimals } from '../../domain/payment/amount.ts';
import { tokenOf } from '../../domain/payment/promised-output.ts';
import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { isDecimals } from '../../domain/payment/said-decimals.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import { ChainWitness } from '../../ports/chain-witness.ts';
import { ChainLists } from './chain-lists.ts';
import { QuotesSettings } from './quotes.settings.ts';

/** Rootstock has a checksum of its own (EIP-1191). */
const OTHER_CHECKSUMS: ReadonlySet<number> = new Set([30, 31]);
const MISTYPED =
  'has a typing error: its letter case is not the checksum of the address (EIP-55); write it in lower case only if you are sure of it';
const NO_ADDRESS = 'is no address of this chain, or has a typing error';
const MAX_TOKENS = 20_000;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
/** The native tokens of the chains that the spec names. */
const NATIVE_DECIMALS: ReadonlyMap<number, number> = new Map([
  ...[1, 10, 56, 137, 8453, 42161, 42220, 43114].map((evmChainId) => [evmChainId, 18] as const),
  [792703809, 9],
]);

/** Remembers the number of fraction digits of tokens from the provider's answers. */
@Injectable()
export class TokenDecimals {
  private readonly learned = new Map<string, number>();

  /** The number of fraction digits; null when it is unknown. */
  of(chainId: number, address: string): number | null {
    const learned = this.learned.get(keyOf(chainId, address));
    if (learned !== undefined) return learned;
    return address.toLowerCase() === ZERO_ADDRESS ? (NATIVE_DECIMALS.get(chainId) ?? null) : null;
  }

  /** Never throws: `text` comes from the provider. */
  learnFromCurrencies(text: string): void {
    const answer = parse(text);
    const currencies = isRecord(answer) ? answer['currencies'] : null;
    if (!Array.isArray(currencies)) return;
    for (const currency of currencies) if (isRecord(currency)) this.learn(currency['chainId'], currency);
  }

  /** Never throws: `text` comes from the provider. */
  learnFromQuote(text: string): void {
    const quote = parse(text);
    if (!isRecord(quote)) return;
    for (const side of [quote['send'], quote['receive']]) {
      if (isRecord(side) && isRecord(side['chain'])) this.learn(side['chain']['id'], side['token']);
    }
  }

  private learn(chainId: unknown, token: unknown): void {
    if (typeof chainId !== 'number' || !isRecord(token)) return;
    const { address, decimals } = token;
    if (typeof address !== 'string' || !isDecimals(decimals)) return;
    const key = keyOf(chainId, address);
    this.learned.delete(key);
    const [oldest] = this.learned.keys();
    if (this.learned.size >= MAX_TOKENS && oldest !== undefined) this.learned.delete(oldest);
    this.learned.set(key, decimals);
  }
}

/** A payout on this chain could never be proven, but only a proof completes a payment. */
class UnprovableChain extends Error {
  readonly code = 'unprovable_chain';
  readonly field = 'toChainId';
  constructor() {
    super('must be a chain that CHAIN_RPC names: VERIFY=require completes only what a chain proves');
  }
}

/** Rejects requests with an unknown chain, a mistyped address or too many fraction digits, as far as chains and tokens are known. */
@Injectable()
export class RequestCheck {
  constructor(
    private readonly chains: ChainLists,
    private readonly decimals: TokenDecimals,
    private readonly witness: ChainWitness,
    private readonly settings: QuotesSettings,
  ) {}

  /** Returns the request with the amount in its token's digits. Throws InvalidField and UnprovableChain. */
  async check(request: QuoteRequest): Promise<QuoteRequest> {
    checkAddresses(request);
    const amount = this.amountOf(request);
    await this.checkChains(request);
    return { ...request, amount };
  }

  private async checkChains(request: QuoteRequest): Promise<void> {
    if (this.settings.refusesUnprovable && !(await this.isProvable(request))) throw new UnprovableChain();
    const known = await this.chains.ids();
    if (known === null) return;
    const unknown = (['fromChainId', 'toChainId'] as const).filter((field) => !known.has(request[field]));
    const [first, ...more] = unknown.map((field) => ({
      field,
      message: 'must be a chain of GET /api/chains',
    }));
    if (first !== undefined) throw new InvalidField(first.field, first.message, ...more);
  }

  private isProvable({ toChainId, toToken }: QuoteRequest): Promise<boolean> {
    return this.witness.sees(toChainId, tokenOf(toToken));
  }

  private amountOf({ amountIs, amount, ...request }: QuoteRequest): string {
    const decimals =
      amountIs === 'receive'
        ? this.decimals.of(request.toChainId, request.toToken)
        : this.decimals.of(request.fromChainId, request.fromToken);
    const known = decimals === null ? amount : withDecimals(amount, decimals);
    if (known !== null) return known;
    throw new InvalidField('amount', `must have at most ${decimals} fraction digits, as its token has`);
  }
}

function checkAddresses(request: QuoteRequest): void {
  const chains = { recipient: request.toChainId, refundTo: request.fromChainId };
  const [first, ...more] = (['recipient', 'refundTo'] as const).flatMap((field) => {
    const message = addressProblem(chains[field], request[field] ?? '');
    return message === null ? [] : [{ field, message }];
  });
  if (first !== undefined) throw new InvalidField(first.field, first.message, ...more);
}

/** Null: the address may be well, as far as its form shows. */
function addressProblem(chainId: number, address: string): string | null {
  if (!OTHER_CHECKSUMS.has(chainId) && isMistyped(address)) return MISTYPED;
  const hasScripts = address !== '' && kindOf(chainId) === 'utxo';
  return hasScripts && scriptOf(chainId, address) === null ? NO_ADDRESS : null;
}

/** Hexadecimal addresses are case-insensitive; base58 addresses are not. */
function keyOf(chainId: number, address: string): string {
  return `${chainId}:${/^0x/i.test(address) ? address.toLowerCase() : address}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const ADDRESS = /^0x([\da-fA-F]{40})$/;
const UPPER_FROM = 8;

/** True for an EVM address in mixed case that is not its checksum (EIP-55). An address in a single case has no checksum. */
export function isMistyped(text: string): boolean {
  const digits = ADDRESS.exec(text)?.[1];
  if (digits === undefined || digits === digits.toLowerCase() || digits === digits.toUpperCase())
    return false;
  const lower = digits.toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  const checksum = lower.replace(/[a-f]/g, (letter, index: number) =>
    Number.parseInt(hash.charAt(index), 16) >= UPPER_FROM ? letter.toUpperCase() : letter,
  );
  return digits !== checksum;
}
