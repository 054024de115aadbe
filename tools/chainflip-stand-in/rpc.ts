import { type Asset, ASSETS, feeOf, leastDeposit, leastEgress } from './assets.ts';
import type { Channel } from './channel.ts';
import { type OpenRequest, readBrokerParams } from './open-request.ts';

type Json = Readonly<Record<string, unknown>>;

/** Opens a channel for a broker. */
export type Open = (request: OpenRequest, brokerBps: number) => Channel;

const INVALID_PARAMS = -32_602;
const NO_METHOD = -32_601;
const RETRY_BLOCKS_UP_TO = 600;
const COMMISSION_AT = 3;

/** Answers JSON-RPC: one request, or a batch of them. */
export function answerRpc(body: unknown, open: Open): unknown {
  return Array.isArray(body)
    ? body.map((each) => answerOne(fieldsOf(each), open))
    : answerOne(fieldsOf(body), open);
}

function answerOne({ id = null, method, params }: Json, open: Open): Json {
  if (method === 'cf_environment') return { jsonrpc: '2.0', id, result: environment() };
  if (method !== 'broker_request_swap_deposit_address')
    return { jsonrpc: '2.0', id, error: { code: NO_METHOD, message: 'Method not found' } };
  const given = Array.isArray(params) ? (params as unknown[]) : [];
  const request = readBrokerParams(given);
  if (request === null)
    return { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message: 'Invalid params' } };
  const channel = open(request, Number(given[COMMISSION_AT] ?? 0));
  const result = {
    address: channel.depositAddress,
    issued_block: channel.issuedBlock,
    channel_id: channel.channelId,
    // Numbers and hexadecimal texts both occur.
    source_chain_expiry_block: `0x${channel.expiryBlock.toString(16)}`,
    channel_opening_fee: '0x0',
    refund_parameters: {},
  };
  return { jsonrpc: '2.0', id, result };
}

function environment(): Json {
  return {
    ingress_egress: {
      minimum_deposit_amounts: table((asset) => hex(leastDeposit(asset))),
      ingress_fees: table((asset) => hex(feeOf(asset))),
      egress_fees: table((asset) => hex(feeOf(asset))),
      egress_dust_limits: table((asset) => Number(leastEgress(asset) % 1_000_000n)),
      witness_safety_margins: Object.fromEntries(ASSETS.map(({ chain }) => [chain.word, chain.safetyMargin])),
      channel_opening_fees: Object.fromEntries(ASSETS.map(({ chain }) => [chain.word, '0x0'])),
    },
    swapping: {
      maximum_swap_amounts: {},
      max_swap_retry_duration_blocks: RETRY_BLOCKS_UP_TO,
      network_fees: {
        regular_network_fee: { standard_rate_and_minimum: { rate: 1_000, minimum: '0x7a120' }, rates: {} },
      },
    },
    funding: {},
    pools: {},
  };
}

/** A table by the names of chains and assets. */
function table(of: (asset: Asset) => string | number): Json {
  const chains: Record<string, Record<string, string | number>> = {};
  for (const asset of ASSETS) (chains[asset.chain.word] ??= {})[asset.symbol] = of(asset);
  return chains;
}

function hex(raw: bigint): string {
  return `0x${raw.toString(16)}`;
}

function fieldsOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
