import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';

import { MustBe } from '../../platform/http/must-be.ts';

const MAX_CHAINS = 100;
const MAX_LIMIT = 100;
const TEXT = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
const A_TEXT = 'a string of 1 to 200 characters';
const A_FLAG = 'true or false';

function isChainId(id: unknown): boolean {
  return Number.isSafeInteger(id) && (id as number) > 0;
}

function isChainIds(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_CHAINS && value.every(isChainId);
}

function isLimit(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_LIMIT;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && TEXT.test(value);
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

/** The fields of a token search; all are optional, and Paybell passes them on. */
export class CurrenciesBody {
  /** Restrict the search to these chains. */
  @ApiProperty({ type: 'array', items: { type: 'integer' }, required: false, example: [8453] })
  @IsOptional()
  @MustBe(`an array of up to ${MAX_CHAINS} chain ids, as JSON numbers`, isChainIds)
  chainIds?: number[];

  /** Token contract address, in any case. */
  @ApiProperty({ required: false, maxLength: 200 })
  @IsOptional()
  @MustBe(A_TEXT, isText)
  address?: string;

  /** Search by symbol or name. */
  @ApiProperty({ required: false, maxLength: 200, example: 'usdc' })
  @IsOptional()
  @MustBe(A_TEXT, isText)
  term?: string;

  /** Only verified tokens. */
  @ApiProperty({ required: false })
  @IsOptional()
  @MustBe(A_FLAG, isFlag)
  verified?: boolean;

  /** Maximum number of results, 20 by default. */
  @ApiProperty({ type: 'integer', required: false, minimum: 1, maximum: MAX_LIMIT })
  @IsOptional()
  @MustBe(`an integer from 1 to ${MAX_LIMIT}`, isLimit)
  limit?: number;

  /** The provider's default list. */
  @ApiProperty({ required: false })
  @IsOptional()
  @MustBe(A_FLAG, isFlag)
  defaultList?: boolean;

  /** True: the result has all chains of the matched token. */
  @ApiProperty({ required: false })
  @IsOptional()
  @MustBe(A_FLAG, isFlag)
  includeAllChains?: boolean;

  /** Search other sources for tokens that are not listed. */
  @ApiProperty({ required: false })
  @IsOptional()
  @MustBe(A_FLAG, isFlag)
  useExternalSearch?: boolean;
}
