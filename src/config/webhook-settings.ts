import { cidrs } from './address-kinds.ts';
import { durations, flag, integer, seconds } from './kinds.ts';
import { type Role, section } from './setting.ts';

const SENDING: readonly Role[] = ['dispatcher'];
const GUARDING: readonly Role[] = ['api', 'dispatcher'];

export const WEBHOOKS = section({
  heading: 'Webhooks',
  about: 'How webhooks are sent and retried: [receive-webhooks.md](../using/receive-webhooks.md).',
  rows: {
    webhookTimeoutMs: integer('WEBHOOK_TIMEOUT_MS', {
      default: 15_000,
      min: 100,
      max: 120_000,
      text: 'the time limit of an attempt, from the connection to the answer',
    }),
    webhookMaxConcurrency: integer('WEBHOOK_MAX_CONCURRENCY', {
      default: 10,
      min: 1,
      max: 100,
      text: 'attempts in flight, for each endpoint',
    }),
    webhookMaxEndpoints: integer('WEBHOOK_MAX_ENDPOINTS', {
      default: 1_000,
      min: 1,
      max: 100_000,
      agreed: ['api'],
      text: 'webhook endpoints in all',
    }),
    webhookRetryScheduleMs: durations('WEBHOOK_RETRY_SCHEDULE', {
      default: '5s,15s,30s,1m,2m,5m,15m,30m,1h,2h,4h,8h,12h,24h,24h',
      agreed: SENDING,
      text: 'the waits between attempts, each varied by ±10 %; `Retry-After` is honoured',
    }),
    webhookLanePatienceMs: seconds('WEBHOOK_LANE_PATIENCE_SECONDS', {
      default: 900,
      min: 0,
      max: 30 * 86_400,
      agreed: SENDING,
      text: 'how long failing events hold back the later ones of their payment',
    }),
    webhookAllowedCidrs: cidrs('WEBHOOK_ALLOWED_CIDRS', {
      agreed: GUARDING,
      text: 'private, loopback and link-local ranges of receivers, over plain http too',
    }),
    webhookAllowHttp: flag('WEBHOOK_ALLOW_HTTP', {
      default: false,
      agreed: GUARDING,
      text: '`true`: plain http to public addresses too',
    }),
  },
});
