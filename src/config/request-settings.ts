import { integer } from './kinds.ts';
import { ASKING, type RequestLimits, type Setting } from './setting.ts';

/** The settings for requests to one provider. `prefix` is the beginning of their names. */
export function requestRows(
  prefix: string,
  defaults: Omit<RequestLimits, 'maxConcurrency'>,
): { readonly [Key in keyof RequestLimits]: Setting<number> } {
  return {
    timeoutMs: integer(`${prefix}_TIMEOUT_MS`, {
      default: defaults.timeoutMs,
      min: 100,
      max: 120_000,
      agreed: ASKING,
      text: 'the time limit of one request',
    }),
    maxRpm: integer(`${prefix}_MAX_RPM`, {
      default: defaults.maxRpm,
      min: 0,
      max: 10_000_000,
      agreed: ASKING,
      text: 'status requests a minute, over all replicas; `0`: no limit',
    }),
    maxConcurrency: integer(`${prefix}_MAX_CONCURRENCY`, {
      default: 64,
      min: 1,
      max: 10_000,
      text: 'requests in flight, for each replica',
    }),
  };
}

/** The PROVIDER_… settings, which also serve the only provider where its own are unset. */
export const GENERAL_REQUESTS = requestRows('PROVIDER', { timeoutMs: 5_000, maxRpm: 0 });
