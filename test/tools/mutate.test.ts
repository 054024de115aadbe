import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { drawn, mutantsByArea } from '../../tools/mutate/areas.ts';
import { changeOf, equivalenceOf, EQUIVALENTS } from '../../tools/mutate/equivalents.ts';
import { Judges } from '../../tools/mutate/judges.ts';
import { mutantsOf } from '../../tools/mutate/mutants.ts';
import { sqlMutantsOf } from '../../tools/mutate/sql-mutants.ts';

const changesOf = (source: string): string[] => mutantsOf(source).map(changeOf);

describe('the mutants of a source', () => {
  it.each([
    ['a < b', ['a < b → a <= b', 'a < b → a >= b']],
    ['a === b', ['a === b → a !== b']],
    ['a && b', ['a && b → a || b']],
    ['a + b', ['a + b → a - b']],
    ["'a' + b", []],
    ['a ?? b', ['a ?? b → a', 'a ?? b → b']],
    ['a[i] ?? b', ['a[i] ?? b → b']],
    ['a[i] ?? 0', ['a[i] ?? 0 → 0']],
    ["a['b'] ?? 0n", ["a['b'] ?? 0n → 0n", "'b' → ''", '0n → (0n + 1n)']],
    ['!a', ['!a → a']],
    ['true', ['true → false']],
    ['7', ['7 → 8', '7 → 6']],
    ['60_000', ['60_000 → 120000', '60_000 → 30000']],
    ["'closed'", ["'closed' → ''"]],
    ["'a sentence for people'", []],
    ["a === 'closed'", ["a === 'closed' → a !== 'closed'"]],
    ['[a]', ['[a] → []']],
    ['a?.b', ['a?.b → a.b']],
    ['a.b?.(c)', ['a.b?.(c) → a.b(c)']],
    ['Math.min(a, b)', ['Math.min(a, b) → Math.max(a, b)']],
    ['a.filter(b)', ['a.filter(b) → a']],
    ['a ? b : c', ['a → true', 'a → false']],
    ['/^a$/g', ['/^a$/g → /a$/g', '/^a$/g → /^a/g', '/^a$/g → /^a$/']],
  ])('of %s are what a slip of the pen could make of it', (expression, changes) => {
    expect(changesOf(`const x = ${expression};`)).toEqual(changes);
  });

  it('leave out each statement that has an effect, and force each condition', () => {
    expect(changesOf('function f() { if (a) return; b(); throw c; }')).toEqual([
      'a → true',
      'a → false',
      'b(); → (removed)',
      'throw c; → (removed)',
    ]);
  });

  it('touch no types, imports and names', () => {
    const source = `import { a } from 'a'; type B = 'b' | 1; interface C { d: 'd' } const e = { f: g as 'h' };`;
    expect(changesOf(source)).toEqual([]);
  });

  it('have the line on which they stand', () => {
    expect(mutantsOf('f();\n\ng();').map(({ line }) => line)).toEqual([1, 3]);
  });
});

describe('the mutants of a function of the database', () => {
  it.each([
    ['a <= b', ['<= → <']],
    ['a = b AND c <> d', ['= → <>', 'AND → OR', '<> → =']],
    ['a BETWEEN 1 AND b', ['1 → 2']],
    ['UPDATE x SET a = b, c = d WHERE e = f', ['= → <>']],
    ['a IS NOT NULL -- AND b', ['IS NOT NULL → IS NULL']],
    ['FOR UPDATE SKIP LOCKED', ['FOR UPDATE SKIP LOCKED → (removed)', 'SKIP LOCKED → (removed)']],
    ['least(a, $1) + 1', ['least → greatest', '+ → -', '1 → 2']],
    ["a := b - interval '1 day' OFFSET 0", ['- → +']],
    ["a->>'b' || c::float8", []],
  ])('of %s are what a slip of the pen could make of it', (body, changes) => {
    const text = `CREATE FUNCTION f(a int DEFAULT 1) AS $$ ${body} $$`;
    expect(sqlMutantsOf(text).map((mutant) => changeOf(mutant).trim())).toEqual(changes);
  });
});

describe('a sample', () => {
  const AREAS = [['a', 'b', 'c', 'd', 'e', 'f'], ['g'], ['h', 'i', 'j']];

  it('is spread evenly, and what a small area lacks goes to the others', () => {
    const sizes = AREAS.map((area) => drawn(AREAS, 7, 1).filter((each) => area.includes(each)).length);
    expect(sizes).toEqual([3, 1, 3]);
  });

  it('finds all the decision code', () => {
    for (const area of mutantsByArea([])) expect(area.length).toBeGreaterThan(400);
  });
});

describe('the tests that judge a mutant', () => {
  let all: Judges;
  beforeAll(async () => {
    all = await Judges.read();
  });

  it('are those that import its file, then those of its subject, then farther ones', () => {
    const judges = all.of('src/domain/rate-limit/token-bucket.ts');
    expect(judges[0]).toBe('test/unit/rate-limit-steps.test.ts');
    expect(judges).toContain('test/contract/rules-in-sql.test.ts');
    expect(judges).toContain('test/unit/provider-limiter.test.ts');
  });

  it('of a function of the database are those that call it, and those of the stores that do', () => {
    const judges = all.of('src/database/functions/lock_due.sql');
    expect(judges[0]).toBe('test/contract/lock-due.test.ts');
    expect(judges).toContain('test/contract/schedule.test.ts');
  });
});

describe('the known equivalent mutants', () => {
  it('exist, each with a reason', () => {
    const files = new Set(EQUIVALENTS.map(({ file }) => file));
    const mutants = new Map([...files].map((file) => [file, mutantsOf(readFileSync(file, 'utf8'))]));
    for (const { file, line, changes, reason } of EQUIVALENTS) {
      const there = (mutants.get(file) ?? []).filter(
        (mutant) => equivalenceOf(file, mutant) === reason && mutant.lineText.includes(line),
      );
      expect([file, line, [...new Set(there.map(changeOf))].toSorted()]).toEqual([
        file,
        line,
        changes.toSorted(),
      ]);
      expect(reason.length).toBeGreaterThan(15);
    }
  });
});
