import type { Equivalents } from './equivalents.ts';

export const POLLING: readonly Equivalents[] = [
  {
    file: 'src/domain/polling/estimate.ts',
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
    file: 'src/domain/polling/planned-rate.ts',
    line: 'return rate === Number.POSITIVE_INFINITY ? rate',
    changes: ['rate === Number.POSITIVE_INFINITY → false'],
    reason: 'Infinity less the overdue requests is Infinity.',
  },
  {
    file: 'src/domain/polling/unchanged.ts',
    line: 'if (by === undefined) return [unattendedAt];',
    changes: ['by === undefined → false'],
    reason: 'Without an expiry the other time is NaN, which is not ahead.',
  },
];
