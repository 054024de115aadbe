import type { Equivalents } from './equivalents.ts';

export const RATE_LIMIT: readonly Equivalents[] = [
  {
    file: 'src/domain/rate-limit/rate-limit-transitions.ts',
    line: 'const pausedUntil = Math.max(',
    changes: ['retryAfterMs ?? 0 → retryAfterMs', '0 → -1'],
    reason: 'Math.min takes null for 0, and a pause that is over is none.',
  },
  {
    file: 'src/domain/rate-limit/rate-limit-transitions.ts',
    line: 'from: Math.max(complainedOf, rateLimit.slowed?.from ?? 0),',
    changes: ['0 → -1'],
    reason: 'Every rate is above 0.',
  },
  {
    file: 'src/domain/rate-limit/rate-limit-transitions.ts',
    line: "const doubled = rateLimit.circuit === 'closed' ?",
    changes: ["rateLimit.circuit === 'closed' → false"],
    reason: 'A closed circuit has no wait for a probe, and the shortest wait applies.',
  },
  {
    file: 'src/domain/rate-limit/rate-limit.ts',
    line: 'const steps = Math.floor(Math.max(now - rateLimit.slowed.at, 0)',
    changes: ['0 → 1'],
    reason: 'A millisecond is no step.',
  },
  {
    file: 'src/domain/rate-limit/rate-limit.ts',
    line: 'return steps < 0 ? 0 : to *',
    changes: ['0 → -1'],
    reason: 'Either is below every rate that it is compared with.',
  },
];
