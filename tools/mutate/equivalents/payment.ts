import type { Equivalents } from './equivalents.ts';

export const PAYMENT: readonly Equivalents[] = [
  {
    file: 'src/domain/payment/amount.ts',
    line: "const [whole = '0', fraction = ''] = amount.split('.');",
    changes: ["'0' → ''"],
    reason: 'What is split has a first part.',
  },
  {
    file: 'src/domain/payment/reading.ts',
    line: "if (typeof number === 'number' && Number.isFinite(number) && number > 0) {",
    changes: [
      "typeof number === 'number' && Number.isFinite(number) → typeof number === 'number' || Number.isFinite(number)",
    ],
    reason: 'A number that is not finite makes no valid date.',
  },
  {
    file: 'src/domain/payment/payment.ts',
    line: 'export const PAYMENT_FIELDS =',
    changes: ['0 → 1', '0 → -1'],
    reason: 'Only the names of the fields are read.',
  },
  {
    file: 'src/domain/payment/report.ts',
    line: 'const MAX_LEFT_UNWALKED = 4_096;',
    changes: ['4_096 → 8192', '4_096 → 2048'],
    reason: 'No text of 8 kB nests deep enough for the stack, and the digests are the same either way.',
  },
  {
    file: 'src/domain/payment/report.ts',
    line: 'text.length > MAX_LEFT_UNWALKED',
    changes: ['text.length > MAX_LEFT_UNWALKED → text.length >= MAX_LEFT_UNWALKED'],
    reason: 'The digests are the same whether they are computed at once or when they are asked for.',
  },
  {
    file: 'src/domain/payment/report.ts',
    line: 'Object.fromEntries(Object.entries(inner).sort(',
    changes: ['a < b → a <= b', '1 → 2', '1 → 0'],
    reason: 'Two keys of an object are never the same, and the sort looks for numbers below 0.',
  },
];
