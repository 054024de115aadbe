import type { ChainflipStandIn } from '../../tools/chainflip-stand-in/chainflip-stand-in.ts';

/** USDC from Ethereum to Arbitrum. */
export const ROUTE = {
  fromChainId: 1,
  toChainId: 42161,
  fromToken: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  toToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  amount: '100',
  recipient: `0x${'cd'.repeat(20)}`,
};
export const OPENING = '/api/openSwapDepositChannel';

/** The settings of a Paybell that asks the stand-in. */
export function chainflipSettings({ url }: ChainflipStandIn): Record<string, string> {
  return { CHAINFLIP_BASE_URL: url, CHAINFLIP_REFUND_TO: `evm:0x${'ab'.repeat(20)}` };
}

/** The number of channels that were asked for. */
export function openingsAt({ requests }: ChainflipStandIn): number {
  return requests.filter(({ path }) => path === OPENING).length;
}
