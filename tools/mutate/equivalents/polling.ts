import type { Equivalents } from './equivalents.ts';

export const POLLING: readonly Equivalents[] = [
  {
    file: 'src/domain/payment/estimate.ts',
    line: "names.test(unit ?? '')",
    changes: ["unit ?? '' → unit"],
    reason: 'The pattern has the group, or does not match.',
  },
  {
    file: 'src/domain/polling/interval-scale.ts',
    line: 'if (sum(wanted) <= budget) return NO_SCALE;',
    changes: ['sum(wanted) <= budget → sum(wanted) < budget'],
    reason: 'The scale of a budget that just suffices is 1 either way.',
  },
  {
    file: 'src/domain/polling/interval-scale.ts',
    line: 'const shared = wanted.map(() => 0);',
    changes: ['0 → 1'],
    reason: 'Only a class without payments keeps this rate, and its factor is 1 either way.',
  },
  {
    file: 'src/domain/polling/interval-scale.ts',
    line: 'while (open.length > 0) {',
    changes: ['open.length > 0 → open.length >= 0', '0 → -1'],
    reason: 'A round without a class changes nothing, and is the last.',
  },
  {
    file: 'src/domain/polling/interval-scale.ts',
    line: 'const content = open.filter(',
    changes: ['(wanted[urgency] ?? 0) <= partOf(urgency) → (wanted[urgency] ?? 0) < partOf(urgency)'],
    reason: 'A class that wants exactly its part gets it either way.',
  },
  {
    file: 'src/domain/polling/interval-scale.ts',
    line: 'for (const urgency of content.length > 0 ? content : open)',
    changes: ['content.length > 0 → false', '0 → 1'],
    reason: 'What the other classes get in this round, a later one overwrites.',
  },
  {
    file: 'src/domain/polling/interval-scale.ts',
    line: 'const rates = [0, 0, 0, 0];',
    changes: ['[0, 0, 0, 0] → []'],
    reason: 'A rate that is missing is read as 0.',
  },
  {
    file: 'src/domain/polling/interval-scale.ts',
    line: 'return rate === Number.POSITIVE_INFINITY ? rate',
    changes: ['rate === Number.POSITIVE_INFINITY → false'],
    reason: 'Infinity less the overdue requests is Infinity.',
  },
  {
    file: 'src/domain/polling/spacing.ts',
    line: 'const ANY_MS = 1e12;',
    changes: ['1e12 → 2000000000000', '1e12 → 500000000000'],
    reason: 'Every interval is shorter than half of it.',
  },
  {
    file: 'src/domain/polling/urgency.ts',
    line: 'const doubled = rules.pollIntervalMs *',
    changes: ['0 → -1', '20 → 21', '20 → 19'],
    reason: 'The result is between the interval and a minute, which fewer doublings of a millisecond reach.',
  },
  {
    file: 'src/domain/polling/urgency.ts',
    line: 'return EARLY_SHARE * (expectedMs ?? 0)',
    changes: ['expectedMs ?? 0 → expectedMs'],
    reason: 'A share of null is 0.',
  },
  {
    file: 'src/domain/polling/urgency.ts',
    line: 'return Math.max(OVERDUE_ESTIMATES * (expectedMs ?? 0)',
    changes: ['expectedMs ?? 0 → expectedMs', '0 → 1', '0 → -1'],
    reason: 'Five times null is 0, and five milliseconds are less than twenty intervals.',
  },
  {
    file: 'src/domain/polling/urgency.ts',
    line: 'if (early > rules.inFlightMs)',
    changes: ['early > rules.inFlightMs → early >= rules.inFlightMs'],
    reason: 'A payment that is early for exactly this interval is not overdue, and gets it either way.',
  },
  {
    file: 'src/domain/polling/unchanged.ts',
    line: 'if (by === undefined) return [unattendedAt];',
    changes: ['by === undefined → false'],
    reason: 'Without an expiry the other time is NaN, which is not ahead.',
  },
];
