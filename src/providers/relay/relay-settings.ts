import { baseUrl } from '../../config/address-kinds.ts';
import { requestRows } from '../../config/request-settings.ts';
import { flag, headerText, integer, list } from '../../config/kinds.ts';
import { ASKING, providerSection, type Refuse } from '../../config/setting.ts';
import { quoteRows } from '../shared/quote-settings.ts';
import { walletProblem } from '../shared/vm-addresses.ts';

const APP_FEE = /^(0x[0-9a-fA-F]{40}):(\d{1,4})$/;
const MAX_APP_FEES_BPS = 10_000;
/** How many reads of `/requests/v3` a minute Relay allows a key by default. */
const READS_RPM = 200;

interface AppFee {
  readonly recipient: string;
  /** In hundredths of a percent. */
  readonly bps: string;
}

export const RELAY_SETTINGS = providerSection({
  heading: 'Relay',
  about: 'What each means for a merchant: [providers.md](providers.md#relay).',
  rows: {
    apiKey: headerText('RELAY_API_KEY', {
      agreed: ASKING,
      isSecret: true,
      isRequired: true,
      text: "Relay's key, required with `PROVIDER=relay`; it also signs Relay's notices",
    }),
    apiKeyPrevious: headerText('RELAY_API_KEY_PREVIOUS', {
      isSecret: true,
      text: 'the former key, during a rotation: it signs notices too',
    }),
    baseUrl: baseUrl('RELAY_BASE_URL', {
      default: 'https://api.relay.link',
      keyName: 'RELAY_API_KEY',
      agreed: ASKING,
      text: "Relay's API; `https://api.testnets.relay.link` for its test networks",
    }),
    ...quoteRows('RELAY', walletProblem),
    appFees: list(
      'RELAY_APP_FEES',
      { agreed: ASKING, text: 'your fee, in hundredths of a percent (50: 0.5 %), to an EVM address' },
      '`0x…:50,…`',
      appFees,
    ),
    maxQuotesRpm: integer('RELAY_MAX_QUOTES_RPM', {
      default: 50,
      min: 0,
      max: 100_000,
      agreed: ASKING,
      text: 'quotes a minute, over all replicas; `0`: no limit. Raise it, and `RELAY_MAX_RPM`, with your key',
    }),
    ...requestRows('RELAY', { timeoutMs: 5_000, maxRpm: READS_RPM }),
    isWebhookOn: flag('RELAY_WEBHOOK', {
      default: true,
      text: "`POST /provider/relay/webhook` accepts Relay's signed notices",
    }),
  },
});

function appFees(words: readonly string[], refuse: Refuse): readonly AppFee[] {
  const fees = words.map((word) => {
    const [, recipient, bps] = APP_FEE.exec(word) ?? [];
    if (recipient !== undefined && bps !== undefined) return { recipient, bps: String(Number(bps)) };
    refuse(`has "${word}", which is not an EVM address and hundredths of a percent: 0x…:50`);
    return { recipient: '', bps: '0' };
  });
  if (fees.reduce((sum, { bps }) => sum + Number(bps), 0) > MAX_APP_FEES_BPS)
    refuse(`takes more than everything: ${MAX_APP_FEES_BPS} in all at most`);
  return fees;
}
