import type { RateLimit } from '../../src/domain/rate-limit/rate-limit.ts';

/** As a provider's row is first read. */
export const INITIAL_RATE_LIMIT: RateLimit = {
  tokens: 0,
  urgent: 0,
  refilledAt: 0,
  slowed: null,
  pausedUntil: 0,
  circuit: 'closed',
  probeAt: 0,
  probeWaitMs: 0,
};
