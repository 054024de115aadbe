import { parseBaseUrl } from '../../config/address-kinds.ts';
import { choice, headerText, optional } from '../../config/kinds.ts';
import { GENERAL_REQUESTS } from '../../config/request-settings.ts';
import { ASKING, providerSection } from '../../config/setting.ts';

const SPEC_PATH = /(\/api(?:\/(?:quote|status|chains|currencies))?)\/*$/i;

export const HTTP_PROVIDER_SETTINGS = providerSection({
  heading: 'A provider with the payment API',
  about:
    '`PROVIDER=http`: [providers.md](providers.md). The last three hold for a provider that is alone in `PROVIDER` too, where its own are unset.',
  rows: {
    baseUrl: optional(
      'PROVIDER_BASE_URL',
      { agreed: ASKING, isRequired: true, text: "the provider's base URL, without `/api`" },
      '`http://`, `https://`',
      (value, refuse) => {
        // The spec's {base_url} ends before this path, which every request adds.
        const [, added] = SPEC_PATH.exec(URL.canParse(value) ? new URL(value).pathname : '') ?? [];
        if (added !== undefined) refuse(`ends in ${added.toLowerCase()}: leave that out, Paybell adds it`);
        return parseBaseUrl(value, 'PROVIDER_API_KEY', refuse);
      },
    ),
    apiKey: headerText('PROVIDER_API_KEY', {
      agreed: ASKING,
      isSecret: true,
      text: "the provider's key",
    }),
    auth: choice('PROVIDER_AUTH', ['x-api-key', 'bearer'], {
      default: 'x-api-key',
      agreed: ASKING,
      text: 'the header that carries the key',
    }),
    ...GENERAL_REQUESTS,
  },
});
