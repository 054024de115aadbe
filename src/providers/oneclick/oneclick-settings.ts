import { baseUrl } from '../../config/address-kinds.ts';
import { flag, headerText, integer, withDefault } from '../../config/kinds.ts';
import { requestRows } from '../../config/request-settings.ts';
import { ASKING, providerSection } from '../../config/setting.ts';
import { appFeesRow, quoteRows } from '../shared/quote-settings.ts';
import { notAWallet } from '../shared/vm-addresses.ts';
import { readQuoteKey } from './quote-signature.ts';

/** The key with which 1Click signs quotes. */
const QUOTE_KEY = 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc';
const REFERRAL = /^[a-z0-9._-]{1,64}$/;

export const ONECLICK_SETTINGS = providerSection({
  heading: '1Click',
  about: '`PROVIDER=oneclick`: 1Click of NEAR Intents, [providers.md](providers.md).',
  rows: {
    apiKey: headerText('ONECLICK_API_KEY', {
      agreed: ASKING,
      isSecret: true,
      text: "1Click's key; unset: requests without a key, for which 1Click takes a higher fee",
    }),
    baseUrl: baseUrl('ONECLICK_BASE_URL', {
      default: 'https://1click.chaindefuser.com',
      keyName: 'ONECLICK_API_KEY',
      agreed: ASKING,
      text: "1Click's API, without `/v0`",
    }),
    ...quoteRows('ONECLICK', notAWallet),
    appFees: appFeesRow('ONECLICK_APP_FEES', {
      text: 'your fee, in hundredths of a percent, to an account of NEAR Intents',
      pattern: /^([a-z0-9._-]{2,64}):(\d{1,3})$/,
      recipient: 'an account of NEAR Intents',
      example: 'shop.near:50',
      mostBps: 500,
    }),
    referral: withDefault(
      'ONECLICK_REFERRAL',
      { default: 'paybell', agreed: ASKING, text: 'the name under which 1Click counts your quotes' },
      '≤ 64 characters',
      (value, refuse) =>
        REFERRAL.test(value)
          ? value
          : refuse('must be at most 64 lower-case letters, digits, ".", "_" and "-"'),
    ),
    slippageBps: integer('ONECLICK_SLIPPAGE_BPS', {
      default: 100,
      min: 0,
      max: 1_000,
      agreed: ASKING,
      text: 'hundredths of a percent by which the price may move against the payment',
    }),
    ...requestRows('ONECLICK', { timeoutMs: 25_000, maxRpm: 60 }),
    verifiesQuotes: flag('ONECLICK_VERIFY_QUOTES', {
      default: true,
      agreed: ASKING,
      text: '`false`: no signature of a quote is checked, and a changed deposit address not noticed',
    }),
    quoteKey: withDefault(
      'ONECLICK_QUOTE_KEY',
      { default: QUOTE_KEY, agreed: ASKING, text: 'the public key that 1Click signs quotes with' },
      '`ed25519:…`',
      (value, refuse) =>
        readQuoteKey(value) === null
          ? refuse('is not "ed25519:" and a public key of 32 bytes in base58')
          : value,
    ),
  },
});
