import { createHash } from 'node:crypto';

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';

import { isAmount } from '../../domain/payment/amount.ts';
import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { isRecord } from '../../domain/payment/reading.ts';
import type { PaymentLabel } from '../../domain/transitions/relabel.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { MustBe, MustBeMetadata, MustBeOrderId } from '../../platform/http/must-be.ts';
import { RefusesSlips } from '../../platform/http/read-fields.ts';
import type { RequestSpan } from '../../ports/tracer.ts';

const WORD = /^[^\s\p{C}]{1,128}$/u;
const EVM_ZERO_ADDRESS = /^0x0{40}$/i;
const A_CHAIN_ID = 'a positive integer, as a JSON number';
const A_TOKEN =
  "a token's address: a string of 1 to 128 characters without spaces (the zero address for the native token)";
const AN_AMOUNT =
  'a positive decimal in a JSON string, such as "25.5": no sign, no exponent, no separator but one point';
const A_WALLET = 'a wallet address: a string of 1 to 128 characters without spaces, and not the zero address';
const AMOUNT_IS = ['send', 'receive'] as const;

function isChainId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && WORD.test(value);
}

function isRecipient(value: unknown): value is string {
  return isWord(value) && !EVM_ZERO_ADDRESS.test(value);
}

/** The request for a quote. */
export class QuoteBody {
  /** Source chain id. */
  @ApiProperty({ type: 'integer', minimum: 1, example: 8453 })
  @MustBe(A_CHAIN_ID, isChainId)
  fromChainId!: number;

  /** Destination chain id. */
  @ApiProperty({ type: 'integer', minimum: 1, example: 42161 })
  @MustBe(A_CHAIN_ID, isChainId)
  toChainId!: number;

  /** Token address on the source chain; the zero address for the native token. */
  @ApiProperty({ maxLength: 128, example: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' })
  @MustBe(A_TOKEN, isWord)
  fromToken!: string;

  /** Token address on the destination chain; the zero address for the native token. */
  @ApiProperty({ maxLength: 128, example: '0x0000000000000000000000000000000000000000' })
  @MustBe(A_TOKEN, isWord)
  toToken!: string;

  /** Amount in human-readable units, as a decimal string. */
  @ApiProperty({ example: '25.5' })
  @MustBe(AN_AMOUNT, isAmount)
  amount!: string;

  /** Wallet address that receives funds on the destination chain. */
  @ApiProperty({ maxLength: 128, example: '0x03508bb71268bba25ecacc8f620e01866650532c' })
  @MustBe(A_WALLET, isRecipient)
  recipient!: string;

  /** `receive`: the recipient gets exactly `amount` of the destination's token, if the provider can promise that. */
  @ApiPropertyOptional({ enum: AMOUNT_IS, default: 'send' })
  @IsOptional()
  @RefusesSlips()
  @MustBe(`one of ${AMOUNT_IS.join(', ')}`, (value) => AMOUNT_IS.some((word) => word === value))
  amountIs?: (typeof AMOUNT_IS)[number];

  /** The wallet on the source chain for a refund, instead of the one in the settings. */
  @ApiPropertyOptional({ maxLength: 128 })
  @IsOptional()
  @RefusesSlips()
  @MustBe(A_WALLET, isRecipient)
  refundTo?: string;

  /** The provider that makes the quote; left out: Paybell chooses one of its providers. */
  @ApiPropertyOptional({ example: 'relay' })
  @IsOptional()
  @RefusesSlips()
  @MustBe("a provider's name, as in PROVIDER", isWord)
  provider?: string;

  /** The merchant's own id of the order; every event carries it. */
  @ApiProperty({
    type: String,
    required: false,
    nullable: true,
    minLength: 1,
    maxLength: 200,
    example: 'A-1001',
  })
  @IsOptional()
  @RefusesSlips()
  @MustBeOrderId()
  orderId?: string | null;

  /** Up to 50 strings of up to 500 characters, with keys of up to 100; every event carries them. */
  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    additionalProperties: { type: 'string', maxLength: 500 },
    example: { shop: 'eu' },
  })
  @IsOptional()
  @RefusesSlips('meta')
  @MustBeMetadata()
  metadata?: Record<string, string> | null;
}

/** The scope (the API key), Idempotency-Key and body hash of a quote that is made at most once. */
export interface IdempotentRequest {
  readonly scope: string;
  readonly key: string;
  readonly bodyHash: string;
}

/** A validated request for a quote. */
export interface QuoteOrder extends PaymentLabel {
  readonly request: QuoteRequest;
  /** The only provider that may make it; null: any. */
  readonly provider: string | null;
  readonly idempotent: IdempotentRequest | null;
  /** How long ago the request arrived; left out: just now. */
  readonly waitedMs?: number;
  /** Null or left out: tracing is off. */
  readonly span?: RequestSpan | null;
}

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** Throws InvalidField for an invalid Idempotency-Key. */
export function toQuoteOrder(body: QuoteBody, scope: string, key: string | undefined): QuoteOrder {
  const { fromChainId, toChainId, fromToken, toToken, amount, recipient, amountIs, refundTo } = body;
  const request: QuoteRequest = {
    fromChainId,
    toChainId,
    fromToken,
    toToken,
    amount,
    recipient,
    ...(amountIs === 'receive' ? { amountIs } : {}),
    ...(typeof refundTo === 'string' ? { refundTo } : {}),
  };
  const { orderId = null, metadata = null, provider = null } = body;
  const asked = { request, orderId, metadata, provider };
  if (key === undefined) return { ...asked, idempotent: null };
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw new InvalidField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  }
  return { ...asked, idempotent: { scope, key, bodyHash: hashOf(asked) } };
}

/** Hashes the meaning, not the bytes: another order of keys, or an unknown field, gives the same hash. */
function hashOf(asked: object): string {
  const canonical = JSON.stringify(asked, (_key, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(canonical).digest('hex');
}
