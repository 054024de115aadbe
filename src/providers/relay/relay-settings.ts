import { baseUrl } from '../../config/address-kinds.ts';
import { requestRows } from '../../config/request-settings.ts';
import { flag, headerText, integer } from '../../config/kinds.ts';
import { ASKING, providerSection } from '../../config/setting.ts';
import { appFeesRow, quoteRows } from '../shared/quote-settings.ts';
import { walletProblem } from '../shared/vm-addresses.ts';

/** How many reads of `/requests/v3` a minute Relay allows a key by default. */
const READS_RPM = 200;

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
    appFees: appFeesRow('RELAY_APP_FEES', {
      text: 'your fee, in hundredths of a percent (50: 0.5 %), to an EVM address',
      pattern: /^(0x[0-9a-fA-F]{40}):(\d{1,4})$/,
      recipient: 'an EVM address',
      example: '0x…:50',
      mostBps: 10_000,
    }),
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
