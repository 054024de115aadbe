import { baseUrl, webUrl } from '../../config/address-kinds.ts';
import { integer } from '../../config/kinds.ts';
import { requestRows } from '../../config/request-settings.ts';
import { ASKING, providerSection, type Setting } from '../../config/setting.ts';
import { quoteRows } from '../shared/quote-settings.ts';
import { notAWallet } from '../shared/vm-addresses.ts';

const MAINNET = 'https://chainflip-swap.chainflip.io';
const MAINNET_RPC = 'https://mainnet-rpc.chainflip.io';
const RECOMMENDED = '`0`: what the quote recommends';

export const CHAINFLIP_SETTINGS = providerSection({
  heading: 'Chainflip',
  about: 'What each means for a merchant: [chainflip.md](chainflip.md).',
  rows: {
    baseUrl: baseUrl('CHAINFLIP_BASE_URL', {
      default: MAINNET,
      keyName: 'CHAINFLIP_BROKER_URL',
      agreed: ASKING,
      text: "Chainflip's SDK backend, which needs no key",
    }),
    brokerUrl: webUrl('CHAINFLIP_BROKER_URL', {
      agreed: ASKING,
      isSecret: true,
      text: "a broker's JSON-RPC, which opens the channels instead; the URL may hold its key",
    }),
    rpcUrl: webUrl('CHAINFLIP_RPC_URL', {
      agreed: ASKING,
      text: 'a JSON-RPC of the state chain, for the least deposits; unset: that of the main network, if `CHAINFLIP_BASE_URL` is',
    }),
    ...quoteRows('CHAINFLIP', notAWallet),
    commissionBps: bps('CHAINFLIP_COMMISSION_BPS', 1_000, 'your commission; needs `CHAINFLIP_BROKER_URL`'),
    slippageBps: bps(
      'CHAINFLIP_SLIPPAGE_BPS',
      1_000,
      `how far below the quote the price may be, else the payment goes back; ${RECOMMENDED}`,
    ),
    oracleSlippageBps: bps(
      'CHAINFLIP_ORACLE_SLIPPAGE_BPS',
      1_000,
      `how far below the oracle's the price may be, where there is one; ${RECOMMENDED}`,
    ),
    retryMinutes: integer('CHAINFLIP_RETRY_MINUTES', {
      default: 0,
      min: 0,
      max: 60,
      agreed: ASKING,
      text: `how long too low a price is tried again; ${RECOMMENDED}`,
    }),
    maxChannels: integer('CHAINFLIP_MAX_CHANNELS', {
      default: 25,
      min: 1,
      max: 100_000,
      agreed: ASKING,
      text: 'the open channels that Chainflip allows for each recipient and pair',
    }),
    maxQuotesRpm: integer('CHAINFLIP_MAX_QUOTES_RPM', {
      default: 50,
      min: 0,
      max: 100_000,
      agreed: ASKING,
      text: 'quotes a minute, over all replicas; `0`: no limit',
    }),
    openTimeoutMs: integer('CHAINFLIP_OPEN_TIMEOUT_MS', {
      default: 30_000,
      min: 1_000,
      max: 120_000,
      agreed: ASKING,
      text: 'the time limit of opening a channel, which takes 4 to 20 s',
    }),
    ...requestRows('CHAINFLIP', { timeoutMs: 10_000, maxRpm: 60 }),
  },
  withDefaults: (values, env) =>
    env.isSet('CHAINFLIP_RPC_URL') || values.baseUrl !== MAINNET
      ? values
      : { ...values, rpcUrl: MAINNET_RPC },
});

function bps(name: string, max: number, words: string): Setting<number> {
  return integer(name, {
    default: 0,
    min: 0,
    max,
    agreed: ASKING,
    text: `hundredths of a percent: ${words}`,
  });
}
