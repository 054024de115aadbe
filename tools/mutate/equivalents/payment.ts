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
    file: 'src/domain/payment/search.ts',
    line: 'return [...new Set(terms)].filter(',
    changes: ["[...new Set(terms)].filter((term) => term !== '') → [...new Set(terms)]"],
    reason: 'A value has ten characters at least, of which 0x is two.',
  },
  {
    file: 'src/domain/payment/payment.ts',
    line: 'export const PAYMENT_FIELDS =',
    changes: ['0 → 1', '0 → -1'],
    reason: 'Only the names of the fields are read.',
  },
];
