import { origin, origins, proxies } from './address-kinds.ts';
import { choice, flag, integer, text } from './kinds.ts';
import { namedKeys } from './secret-kinds.ts';
import { section } from './setting.ts';

/** Who may read: everyone, clients with an API key, or no one (`off`). */
const ACCESS = ['open', 'key', 'off'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const HTTP = section({
  heading: 'HTTP and logs',
  about: '',
  rows: {
    host: text('HOST', {
      default: '127.0.0.1',
      values: 'address',
      text: "the address of the HTTP API; if not this machine's own, set `PUBLIC_URL` too",
    }),
    port: integer('PORT', {
      default: 3_000,
      min: 0,
      max: 65_535,
      text: 'its port; `0`: any free port',
    }),
    publicUrl: origin('PUBLIC_URL', {
      text: 'the origin of the [dashboard](deployment.md#behind-a-proxy) and of payer links, such as `https://pay.example`; unset: that of each request',
    }),
    publicOrigins: origins('PUBLIC_ORIGINS', {
      agreed: ['public'],
      text: "origins whose pages may read a [payer's link](../using/payer-page.md)",
    }),
    trustedProxies: proxies('TRUSTED_PROXIES', {
      text: 'addresses and ranges of your proxies; unset: `X-Forwarded-*` headers are ignored',
    }),
    dashboard: flag('DASHBOARD', {
      default: true,
      text: '`false`: no pages under `/dashboard`, and no sign-in',
    }),
    apiKeys: namedKeys('API_KEYS', {
      agreed: ['api', 'public'],
      isSecret: true,
      text: 'API keys, each with its [role](access.md#roles), by default `admin`; unset: Paybell generates one at the first start and shows it once',
    }),
    metrics: choice('METRICS', ACCESS, {
      default: 'open',
      text: '`/metrics` is open to all, needs an API key, or is not served',
    }),
    docs: choice('DOCS', ACCESS, {
      default: 'open',
      text: 'the same for `/docs`, `/openapi.json`, `/asyncapi.json` and `/schemas`',
    }),
    logLevel: choice('LOG_LEVEL', LOG_LEVELS, {
      default: 'info',
      text: 'the lowest logged level; logs are JSON, on a terminal text. Successful requests and the ordinary course of payments are `debug`',
    }),
  },
});
