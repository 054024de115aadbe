import type { Equivalents } from './equivalents.ts';

export const EVENT: readonly Equivalents[] = [
  {
    file: 'src/domain/event/log-position.ts',
    line: 'return one.rank === other.rank ?',
    changes: ['one.rank > other.rank → one.rank >= other.rank'],
    reason: 'Equal ranks were compared by their positions before.',
  },
  {
    file: 'src/domain/event/log-position.ts',
    line: 'if (rank === undefined || position === undefined)',
    changes: ['rank === undefined || position === undefined → rank === undefined && position === undefined'],
    reason: 'The pattern has both groups, or does not match.',
  },
  {
    file: 'src/domain/event/event-data.ts',
    line: 'facts.previousSequence === undefined',
    changes: ['facts.previousSequence === undefined → false'],
    reason: 'The JSON of an event leaves out what is undefined.',
  },
  {
    file: 'src/domain/event/event-data.ts',
    line: 'facts.reason === undefined',
    changes: ['facts.reason === undefined → false'],
    reason: 'The JSON of an event leaves out what is undefined.',
  },
  {
    file: 'src/destinations/webhook/webhook-outcome.ts',
    line: 'const asked = Math.min(retryAfterMs ?? 0',
    changes: ['retryAfterMs ?? 0 → retryAfterMs', '0 → -1'],
    reason: 'Math.min takes null for 0, and no wait of a schedule is negative.',
  },
];
