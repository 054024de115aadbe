import type { Equivalents } from './equivalents.ts';

export const JUDGEMENT: readonly Equivalents[] = [
  {
    file: 'src/features/polling/apply-poll.ts',
    line: 'return silentPoll(claim, answer, isCharged ? backoffOf(claim, answer, settings) : 0, now, settings);',
    changes: ['0 → -1'],
    reason: 'Neither is a backoff, and every interval is longer.',
  },
  {
    file: 'src/features/polling/apply-poll.ts',
    line: 'return silentPoll(claim, null, 0, now, settings);',
    changes: ['0 → -1'],
    reason: 'Neither is a backoff, and every interval is longer.',
  },
  {
    file: 'src/features/polling/apply-poll.ts',
    line: 'const isCharged = backoff > 0;',
    changes: ['0 → 1'],
    reason: 'No backoff is as short as a millisecond.',
  },
  {
    file: 'src/features/polling/apply-poll.ts',
    line: "const asked = answer.kind === 'unavailable' ?",
    changes: [
      "answer.kind === 'unavailable' → true",
      'answer.retryAfterMs ?? 0 → answer.retryAfterMs',
      '0 → 1',
      '0 → -1',
    ],
    reason: 'Only such an answer has a Retry-After, and every backoff is longer than a millisecond.',
  },
  {
    file: 'src/features/polling/provider-circuit.ts',
    line: 'if (this.failing.size < OPEN_AFTER)',
    changes: [
      'this.failing.size < OPEN_AFTER → true',
      'this.failing.size < OPEN_AFTER → this.failing.size <= OPEN_AFTER',
    ],
    reason: 'More than three payments count as three: the limit only saves memory.',
  },
  ...['throttle', 'fail', 'recover'].map((name) => ({
    file: 'src/features/polling/provider-circuit.ts',
    line: `this.publish('${name}',`,
    changes: [`'${name}' → ''`],
    reason: 'Any name serves that no other kind of change has.',
  })),
  {
    file: 'src/destinations/webhook/webhook-outcome.ts',
    line: 'const failure = httpStatus === 410 ?',
    changes: ['300 → 299'],
    reason: 'A status below 300 was taken for a success before.',
  },
];
