import type { EnvReader } from './env-reader.ts';

const HEADER_TEXT = /^[\x20-\x7e\xa0-\xff]*$/;
const VM_ADDRESS = /^([a-z][a-z0-9]{1,15}):([A-Za-z0-9_:.-]{1,128})$/;
const APP_FEE = /^(0x[0-9a-fA-F]{40}):(\d{1,4})$/;
const SPEC_PATH = /(\/api(?:\/(?:quote|status|chains|currencies))?)\/*$/i;
const MAX_APP_FEES_BPS = 10_000;

/** The reads of `/requests/v3` a minute that Relay allows a key by default. */
export const RELAY_READS_RPM = 200;

/** Why refunds can't go to this address of this virtual machine; null: they can. */
export type WalletProblem = (vmType: string, address: string) => string | null;

/** The settings of the Relay provider only. */
export interface RelaySettings {
  /** Null unless `PROVIDER=relay`, which needs it. */
  readonly apiKey: string | null;
  /** The previous key during a key rotation: notices that are signed with it are accepted too. */
  readonly apiKeyPrevious: string | null;
  readonly baseUrl: string;
  /** The refund address by the origin chain's `vmType`. */
  readonly refundTo: ReadonlyMap<string, string>;
  /** Fees in hundredths of a percent, paid to EVM addresses. */
  readonly appFees: readonly { readonly recipient: string; readonly bps: string }[];
  readonly quoteTtlSeconds: number;
  /** Quotes a minute, of all replicas together; 0: no limit. */
  readonly maxQuotesRpm: number;
  readonly isWebhookOn: boolean;
  /** Whether a payment that Relay delivered although too little was paid completes or fails. */
  readonly underpaid: 'complete' | 'fail';
}

/** Reads Relay's settings; `isUsed` with `PROVIDER=relay`, which requires a key. */
export function readRelay(read: EnvReader, isUsed: boolean, walletProblem: WalletProblem): RelaySettings {
  const apiKey = keyOf(read, 'RELAY_API_KEY', read.optional('RELAY_API_KEY'));
  if (isUsed && apiKey === null && !read.isRefused('RELAY_API_KEY'))
    read.refuse('RELAY_API_KEY', 'is required with PROVIDER=relay');
  const baseUrl = read.text('RELAY_BASE_URL', 'https://api.relay.link');
  checkBaseUrl(read, 'RELAY_BASE_URL', baseUrl, 'set RELAY_API_KEY');
  return {
    apiKey,
    apiKeyPrevious: keyOf(read, 'RELAY_API_KEY_PREVIOUS', read.optional('RELAY_API_KEY_PREVIOUS')),
    baseUrl,
    refundTo: refundToOf(read, read.optional('RELAY_REFUND_TO'), walletProblem),
    appFees: appFeesOf(read, read.optional('RELAY_APP_FEES')),
    quoteTtlSeconds: read.integer('RELAY_QUOTE_TTL_SECONDS', 300, 30, 86_400),
    maxQuotesRpm: read.integer('RELAY_MAX_QUOTES_RPM', 50, 0, 100_000),
    isWebhookOn: read.flag('RELAY_WEBHOOK', true),
    underpaid: read.choice('RELAY_UNDERPAID', 'complete', ['complete', 'fail']),
  };
}

/** Requires PROVIDER with DATABASE_URL: no one should get the sandbox, with its invented deposit addresses, by mistake. */
export function requireProvider(read: EnvReader): void {
  if (['PROVIDER', 'PROVIDER_BASE_URL'].some((name) => read.optional(name) !== null)) return;
  read.refuse(
    'PROVIDER',
    'must be set with DATABASE_URL: http (with PROVIDER_BASE_URL), relay, or sandbox for a rehearsal without real money',
  );
}

/** Refuses a key that no header can carry, which would fail each request. The message does not repeat the key. */
export function keyOf(read: EnvReader, variable: string, key: string | null): string | null {
  if (key !== null && !HEADER_TEXT.test(key))
    read.refuse(variable, 'has characters that no HTTP header can carry, such as a line break');
  return key;
}

/** Refuses a URL that ends in `/api`: the spec's `{base_url}` ends before it, and every request adds it. */
export function checkSpecUrl(read: EnvReader, variable: string, baseUrl: string): void {
  const { pathname } = new URL(baseUrl);
  const [, added] = SPEC_PATH.exec(pathname) ?? [];
  if (added !== undefined)
    read.refuse(variable, `ends in ${added.toLowerCase()}: leave that out, Paybell adds it`);
}

/** Refuses parts that no request would contain. The URL may hold a secret: messages do not repeat it. */
export function checkBaseUrl(read: EnvReader, variable: string, baseUrl: string, instead: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    read.refuse(variable, 'is not a URL that begins with http:// or https://');
    return;
  }
  if (url.username !== '' || url.password !== '')
    read.refuse(variable, `must not hold a user name or a password: ${instead}`);
  if (/[?#]/.test(baseUrl)) read.refuse(variable, 'must not hold a query or a fragment');
}

function refundToOf(
  read: EnvReader,
  value: string | null,
  walletProblem: WalletProblem,
): ReadonlyMap<string, string> {
  const refundTo = new Map<string, string>();
  for (const word of wordsOf(value)) {
    const [, vm, address] = VM_ADDRESS.exec(word) ?? [];
    if (vm === undefined || address === undefined)
      read.refuse('RELAY_REFUND_TO', `has "${word}", which is not like evm:0x… or svm:…`);
    else if (walletProblem(vm, address) !== null)
      read.refuse('RELAY_REFUND_TO', `has "${word}", ${walletProblem(vm, address)}`);
    else if (refundTo.has(vm)) read.refuse('RELAY_REFUND_TO', `has two addresses for ${vm}`);
    else refundTo.set(vm, address);
  }
  return refundTo;
}

function appFeesOf(read: EnvReader, value: string | null): RelaySettings['appFees'] {
  const fees = wordsOf(value).map((word) => {
    const [, recipient, bps] = APP_FEE.exec(word) ?? [];
    if (recipient !== undefined && bps !== undefined) return { recipient, bps: String(Number(bps)) };
    read.refuse(
      'RELAY_APP_FEES',
      `has "${word}", which is not an EVM address and hundredths of a percent: 0x…:50`,
    );
    return { recipient: '', bps: '0' };
  });
  if (fees.reduce((sum, { bps }) => sum + Number(bps), 0) > MAX_APP_FEES_BPS)
    read.refuse('RELAY_APP_FEES', `takes more than everything: ${MAX_APP_FEES_BPS} in all at most`);
  return fees;
}

function wordsOf(value: string | null): string[] {
  return (value ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
