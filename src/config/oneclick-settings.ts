import type { EnvReader } from './env-reader.ts';
import { checkBaseUrl, keyOf } from './provider-settings.ts';

const FAMILY_ADDRESS = /^([a-z][a-z0-9]{1,15}):([A-Za-z0-9_:.-]{1,128})$/;
const APP_FEE = /^([a-z0-9._-]{2,64}):(\d{1,3})$/;
const MAX_APP_FEES_BPS = 500;
/** The key that 1Click signs quotes with. */
const QUOTE_KEY = 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc';
const QUOTE_KEY_TEXT = /^ed25519:[1-9A-HJ-NP-Za-km-z]{40,50}$/;
/** Chains by the names that people use, and how they write addresses. */
const FAMILIES: Readonly<Record<string, string>> = {
  btc: 'bvm',
  sol: 'svm',
  tron: 'tvm',
  ton: 'tonvm',
  xrp: 'xrpvm',
  ltc: 'litecoin',
  doge: 'dogecoin',
  zec: 'zcash',
  bch: 'bitcoincash',
  ada: 'cardano',
  apt: 'aptos',
  strk: 'starknet',
  xlm: 'stellar',
};

/** The settings of the 1Click provider only. */
export interface OneClickSettings {
  /** Null: requests without a key, for which 1Click takes a higher fee. */
  readonly apiKey: string | null;
  /** Without `/v0`. */
  readonly baseUrl: string;
  /** The refund address by the origin chain's `vmType`. */
  readonly refundTo: ReadonlyMap<string, string>;
  /** Fees of ours in hundredths of a percent, paid to accounts of NEAR Intents. */
  readonly appFees: readonly { readonly recipient: string; readonly fee: number }[];
  readonly referral: string;
  readonly slippageBps: number;
  readonly quoteTtlSeconds: number;
  /** Status requests a minute, of all replicas together; 0: no limit. */
  readonly maxRpm: number;
  readonly timeoutMs: number;
  readonly verifiesQuotes: boolean;
  /** `ed25519:` and 32 bytes in base58. */
  readonly quoteKey: string;
  /** Whether a payment that was delivered in part and sent back in part completes or fails. */
  readonly partial: 'complete' | 'fail';
}

export function readOneClick(read: EnvReader): OneClickSettings {
  const baseUrl = read.text('ONECLICK_BASE_URL', 'https://1click.chaindefuser.com');
  checkBaseUrl(read, 'ONECLICK_BASE_URL', baseUrl, 'set ONECLICK_API_KEY');
  const quoteKey = read.text('ONECLICK_QUOTE_KEY', QUOTE_KEY);
  if (!QUOTE_KEY_TEXT.test(quoteKey))
    read.refuse('ONECLICK_QUOTE_KEY', 'is not "ed25519:" and a public key of 32 bytes in base58');
  const referral = read.text('ONECLICK_REFERRAL', 'paybell', 64);
  if (!/^[a-z0-9._-]+$/.test(referral))
    read.refuse('ONECLICK_REFERRAL', 'must be lower-case letters, digits, ".", "_" and "-"');
  return {
    apiKey: keyOf(read, 'ONECLICK_API_KEY', read.optional('ONECLICK_API_KEY')),
    baseUrl,
    refundTo: refundToOf(read),
    appFees: appFeesOf(read),
    referral,
    slippageBps: read.integer('ONECLICK_SLIPPAGE_BPS', 100, 0, 1_000),
    quoteTtlSeconds: read.integer('ONECLICK_QUOTE_TTL_SECONDS', 300, 30, 86_400),
    maxRpm: read.integer('ONECLICK_MAX_RPM', 60, 0, 100_000),
    timeoutMs: read.integer('ONECLICK_TIMEOUT_MS', 12_000, 100, 120_000),
    verifiesQuotes: read.flag('ONECLICK_VERIFY_QUOTES', true),
    quoteKey,
    partial: read.choice('ONECLICK_PARTIAL', 'complete', ['complete', 'fail']),
  };
}

/** `evm:0x…,btc:bc1…`. */
function refundToOf(read: EnvReader): ReadonlyMap<string, string> {
  const refundTo = new Map<string, string>();
  for (const word of wordsOf(read.optional('ONECLICK_REFUND_TO'))) {
    const [, name, address] = FAMILY_ADDRESS.exec(word) ?? [];
    const vmType = name === undefined ? undefined : (FAMILIES[name] ?? name);
    if (vmType === undefined || address === undefined)
      read.refuse('ONECLICK_REFUND_TO', `has "${word}", which is not like evm:0x… or btc:bc1…`);
    else if (refundTo.has(vmType)) read.refuse('ONECLICK_REFUND_TO', `has two addresses for ${name}`);
    else refundTo.set(vmType, address);
  }
  return refundTo;
}

function appFeesOf(read: EnvReader): OneClickSettings['appFees'] {
  const fees = wordsOf(read.optional('ONECLICK_APP_FEES')).map((word) => {
    const [, recipient = '', bps = '0'] = APP_FEE.exec(word) ?? [];
    if (recipient === '')
      read.refuse(
        'ONECLICK_APP_FEES',
        `has "${word}", which is not an account of NEAR Intents and hundredths of a percent: shop.near:50`,
      );
    return { recipient, fee: Number(bps) };
  });
  if (fees.reduce((sum, { fee }) => sum + fee, 0) > MAX_APP_FEES_BPS)
    read.refuse('ONECLICK_APP_FEES', `takes too much: ${MAX_APP_FEES_BPS} in all at most`);
  return fees;
}

function wordsOf(value: string | null): string[] {
  return (value ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
