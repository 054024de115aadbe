import { cidrs } from './address-kinds.ts';
import { amount, chainBlocks, chainUrls } from './per-chain-kinds.ts';
import { rpcHeaders } from './rpc-headers.ts';
import { choice, integer, seconds } from './kinds.ts';
import { type Role, section } from './setting.ts';

const PROVING: readonly Role[] = ['api', 'tracker'];

export const PROOF = section({
  heading: 'Proof on chain',
  about: 'Completions that a chain proves: [proof.md](proof.md).',
  rows: {
    verify: choice('VERIFY', ['off', 'observe', 'require'], {
      default: 'off',
      agreed: PROVING,
      text: '`observe`: what a chain shows follows each completion; `require`: a payment completes only once a chain proves it',
    }),
    chainRpc: chainUrls('CHAIN_RPC', {
      agreed: PROVING,
      // Replicas may have different nodes.
      isAgreedByPresence: true,
      isSecret: true,
      text: '[URLs](proof.md#the-rpcs) of the RPCs of each chain; unset: no chain proves anything, or with the sandbox [one that it plays](sandbox.md#proofs)',
    }),
    chainRpcHeaders: rpcHeaders('CHAIN_RPC_HEADERS', {
      agreed: PROVING,
      isAgreedByPresence: true,
      isSecret: true,
      text: 'headers, such as keys, for the RPCs [of a host](proof.md#the-rpcs) alone',
    }),
    chainRpcAllowedCidrs: {
      ...cidrs('CHAIN_RPC_ALLOWED_CIDRS', {
        text: 'private, loopback and link-local ranges of RPCs, over plain http too; unset: `WEBHOOK_ALLOWED_CIDRS` and `WEBHOOK_ALLOW_HTTP` hold',
      }),
      unset: null,
    },
    chainRpcMaxRps: integer('CHAIN_RPC_MAX_RPS', {
      default: 20,
      min: 1,
      max: 10_000,
      text: 'calls a second to each RPC for each replica; each call of a batch counts',
    }),
    chainConfirmations: chainBlocks('CHAIN_CONFIRMATIONS', {
      agreed: PROVING,
      text: 'blocks, its own included, after which a transfer is proven, and final where a chain has no `finalized` block; of other chains 20, of Tron 19, Bitcoin 2, Litecoin 6, Dogecoin 20, Bitcoin Cash 6',
    }),
    verifyFromUsd: amount('VERIFY_FROM_USD', {
      default: '0',
      agreed: PROVING,
      text: "payments of less, by the quote's USD figures, are not proven",
    }),
    verifyToleranceBps: integer('VERIFY_TOLERANCE_BPS', {
      default: 100,
      min: 0,
      max: 5_000,
      agreed: PROVING,
      text: 'hundredths of a percent that may be missing from the estimate of a quote without a least amount',
    }),
    verifyPatienceMs: {
      ...seconds('VERIFY_PATIENCE_SECONDS', {
        default: 1_800,
        min: 1,
        max: 30 * 86_400,
        agreed: PROVING,
        text: 'when an unproven completion counts as unverified; unset: 1,800 for EVM chains and Tron, 7,200 for Bitcoin, 5,400 for Litecoin and Dogecoin, 10,800 for Bitcoin Cash',
      }),
      default: null,
      unset: null,
    },
    verifyUnprovable: choice('VERIFY_UNPROVABLE', ['refuse', 'allow'], {
      default: 'refuse',
      agreed: PROVING,
      text: 'with `VERIFY=require`, quotes to a chain without an RPC: `refuse`, 422; `allow`, they complete by the word of the provider',
    }),
    depositUnseenMs: seconds('DEPOSIT_UNSEEN_SECONDS', {
      default: 600,
      min: 1,
      max: 86_400,
      agreed: PROVING,
      text: 'how long a provider may miss a deposit on chain before `payment.anomaly` tells it',
    }),
  },
  check({ chainRpc, chainRpcHeaders }, env) {
    const hosts = new Set([...(chainRpc ?? []).values()].flat().map((url) => new URL(url).hostname));
    // Part of a key may stand in the wrong place, so it is not repeated.
    if ([...(chainRpcHeaders?.keys() ?? [])].some((host) => !hosts.has(host)))
      env.refuse('CHAIN_RPC_HEADERS', 'names a host that no URL of CHAIN_RPC has');
  },
});
