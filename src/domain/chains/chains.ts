/** How a chain writes addresses: the `vmType` of the spec's currencies. */
export type VmType = string;

/** A chain in the spec's form. Its id never changes: shops store it. */
export interface Chain {
  readonly id: number;
  readonly name: string;
  readonly shortName: string;
  /** The symbol of the token in which its fees are paid. */
  readonly nativeToken: string;
  readonly vmType: VmType;
}

/**
 * Chains without an EVM id have the id that other services use, if there is one. Otherwise their id is this number plus the
 * chain's SLIP-44 number: below 2³¹, like every id.
 */
const SLIP_44 = 2_100_000_000;

/** Every chain that Paybell knows by itself, whichever provider carries the payment. The ids are stable. */
export const CHAINS: readonly Chain[] = [
  evm(1, 'Ethereum', 'eth', 'ETH'),
  evm(10, 'Optimism', 'op', 'ETH'),
  evm(56, 'BNB Chain', 'bnb', 'BNB'),
  evm(100, 'Gnosis', 'gnosis', 'XDAI'),
  evm(137, 'Polygon', 'matic', 'POL'),
  evm(143, 'Monad', 'monad', 'MON'),
  evm(196, 'X Layer', 'xlayer', 'OKB'),
  evm(999, 'HyperEVM', 'hyperevm', 'HYPE'),
  evm(4663, 'Robinhood Chain', 'hood', 'ETH'),
  evm(8453, 'Base', 'base', 'ETH'),
  evm(9745, 'Plasma', 'plasma', 'XPL'),
  evm(36900, 'ADI', 'adi', 'ADI'),
  evm(42161, 'Arbitrum', 'arb', 'ETH'),
  evm(42220, 'Celo', 'celo', 'CELO'),
  evm(43114, 'Avalanche', 'avax', 'AVAX'),
  evm(80094, 'Berachain', 'bera', 'BERA'),
  evm(534352, 'Scroll', 'scroll', 'ETH'),
  other(8253038, 'Bitcoin', 'btc', 'BTC', 'bvm'),
  other(224235520, 'TON', 'ton', 'TON', 'tonvm'),
  other(728126428, 'Tron', 'trx', 'TRX', 'tvm'),
  other(792703809, 'Solana', 'sol', 'SOL', 'svm'),
  other(537724, 'XRP Ledger', 'xrp', 'XRP', 'xrpvm'),
  other(SLIP_44 + 2, 'Litecoin', 'ltc', 'LTC', 'litecoin'),
  other(SLIP_44 + 3, 'Dogecoin', 'doge', 'DOGE', 'dogecoin'),
  other(SLIP_44 + 5, 'Dash', 'dash', 'DASH', 'dash'),
  other(SLIP_44 + 133, 'Zcash', 'zec', 'ZEC', 'zcash'),
  other(SLIP_44 + 145, 'Bitcoin Cash', 'bch', 'BCH', 'bitcoincash'),
  other(SLIP_44 + 148, 'Stellar', 'xlm', 'XLM', 'stellar'),
  other(SLIP_44 + 354, 'Polkadot Asset Hub', 'dot', 'DOT', 'substrate'),
  other(SLIP_44 + 397, 'NEAR', 'near', 'NEAR', 'near'),
  other(SLIP_44 + 637, 'Aptos', 'apt', 'APT', 'aptos'),
  other(SLIP_44 + 784, 'Sui', 'sui', 'SUI', 'sui'),
  other(SLIP_44 + 1815, 'Cardano', 'ada', 'ADA', 'cardano'),
  other(SLIP_44 + 9004, 'Starknet', 'strk', 'STRK', 'starknet'),
];

function evm(id: number, name: string, shortName: string, nativeToken: string): Chain {
  return { id, name, shortName, nativeToken, vmType: 'evm' };
}

function other(id: number, name: string, shortName: string, nativeToken: string, vmType: VmType): Chain {
  return { id, name, shortName, nativeToken, vmType };
}
