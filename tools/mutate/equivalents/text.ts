import type { Equivalents } from './equivalents.ts';

export const TEXT: readonly Equivalents[] = [
  {
    file: 'src/domain/text/json-bounds.ts',
    line: 'const CURLY_BIT = 0x20;',
    changes: ['0x20 → 33'],
    reason: 'The bytes that it also changes occur in JSON only within strings.',
  },
  {
    file: 'src/domain/text/json-bounds.ts',
    line: 'for (let at = 0; at < bytes.length; at += 1) {',
    changes: ['0 → -1', 'at < bytes.length → at <= bytes.length'],
    reason: 'Before the first byte and after the last one there is nothing that counts.',
  },
  {
    file: 'src/domain/text/json-bounds.ts',
    line: 'while (at < bytes.length && bytes[at] !== QUOTE)',
    changes: ['at < bytes.length → at <= bytes.length'],
    reason: 'The scan ends behind the last byte either way.',
  },
  {
    file: 'src/domain/text/member-text.ts',
    line: 'const open = afterSpace(json, 0);',
    changes: ['0 → -1'],
    reason: 'A pattern with a negative lastIndex begins at 0.',
  },
  {
    file: 'src/domain/text/member-text.ts',
    line: 'const start = afterSpace(json, 0);',
    changes: ['0 → -1'],
    reason: 'A pattern with a negative lastIndex begins at 0.',
  },
  {
    file: 'src/domain/text/member-text.ts',
    line: "at = json[to] === ','",
    changes: ["json[to] === ',' → true"],
    reason: 'Behind the bracket that ends the object only spaces follow.',
  },
  {
    file: 'src/domain/text/member-text.ts',
    line: "while (at < json.length && json[at] !== '\"')",
    changes: ['at < json.length → at <= json.length'],
    reason: 'The JSON is valid, so that each string ends before it does.',
  },
  {
    file: 'src/domain/text/member-text.ts',
    line: 'for (let at = from; at < json.length;) {',
    changes: ['at < json.length → at <= json.length'],
    reason: 'The JSON is valid, so that each value ends before it does.',
  },
  {
    file: 'src/domain/text/member-text.ts',
    line: 'if (next === null) break;',
    changes: ['next === null → false', 'break; → (removed)'],
    reason: 'The JSON is valid, so that a bracket or comma follows each value.',
  },
];
