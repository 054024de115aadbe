import { Logger } from '@nestjs/common';

import { ProviderUnavailable } from '../../ports/payment-provider.ts';
import type { Timers } from '../../ports/timers.ts';
import { type JsonApi, valueOrError } from '../shared/json-api.ts';
import { fieldsOf } from '../shared/fields.ts';
import { KeptList } from '../shared/kept-list.ts';
import type { Asset } from './assets.ts';

/** The limits of the state chain. */
export interface Environment {
  /** The least deposit in the smallest unit; null: unknown. */
  leastDeposit(asset: Asset): bigint | null;
  /** State chain blocks; null: unknown. */
  readonly maxRetryBlocks: number | null;
}

const FRESH_MS = 600_000;
const HEX = /^0x[0-9a-f]{1,64}$/i;
const NOTHING: Environment = { leastDeposit: () => null, maxRetryBlocks: null };

/** The limits of the state chain, if its RPC is configured. Quotes are made without them too. */
export class ChainflipEnvironment {
  private readonly kept: KeptList<Environment> | null;

  constructor(rpc: Pick<JsonApi, 'post'> | null, timers: Timers) {
    this.kept =
      rpc === null ? null : new KeptList("Chainflip's limits", FRESH_MS, () => fetchEnvironment(rpc), timers);
  }

  async now(): Promise<Environment> {
    try {
      return (await this.kept?.get()) ?? NOTHING;
    } catch (error) {
      new Logger('Provider').debug(`quoted without Chainflip's limits: ${(error as Error).message}`);
      return NOTHING;
    }
  }
}

async function fetchEnvironment(rpc: Pick<JsonApi, 'post'>): Promise<Environment> {
  const call = { jsonrpc: '2.0', id: '1', method: 'cf_environment', params: [] };
  const answer = valueOrError(await rpc.post('', call));
  const result = answer.kind === 'json' ? fieldsOf(fieldsOf(answer.value)['result']) : {};
  const least = fieldsOf(fieldsOf(result['ingress_egress'])['minimum_deposit_amounts']);
  if (Object.keys(least).length === 0) throw new ProviderUnavailable('unreadable answer');
  const blocks = readNumber(fieldsOf(result['swapping'])['max_swap_retry_duration_blocks']);
  return {
    leastDeposit: ({ word, symbol }) => readNumber(fieldsOf(least[word])[symbol]),
    maxRetryBlocks: blocks === null ? null : Number(blocks),
  };
}

/** Reads a number, or a number as hexadecimal text. */
export function readNumber(value: unknown): bigint | null {
  if (typeof value === 'string') return HEX.test(value) ? BigInt(value) : null;
  return Number.isSafeInteger(value) && (value as number) >= 0 ? BigInt(value as number) : null;
}
