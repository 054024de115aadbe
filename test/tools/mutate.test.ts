import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';

import { changeOf, equivalenceOf, EQUIVALENTS } from '../../tools/mutate/equivalents.ts';
import { mutantsOf } from '../../tools/mutate/mutants.ts';
import { readOptions } from '../../tools/mutate/options.ts';
import { filesOf } from '../../tools/mutate/scope.ts';
import { switched } from '../../tools/mutate/switched.ts';

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

describe('a switched source', () => {
  const SOURCE = `
    function f(a, b) {
      const list = [1, 2].filter((each) => each < a);
      if (a > b && list?.length === 2) throw new Error('two');
      let sum = a * 2 + (b ?? 3);
      if (b > 0) sum += 100; else if (a < 1) sum -= 100;
      while (sum < 10) sum += 4;
      return sum;
    }
    result = [[5, 1], [0, undefined], [1, 1]].map(([a, b]) => { try { return f(a, b); } catch (error) { return error.message; } });`;

  const resultOf = (code: string, on: number | null): string => {
    let asked = 0;
    const isOn = (id: number): boolean => {
      if (id === on && (asked += 1) > 1_000) throw new Error('a loop without an end');
      return id === on;
    };
    return String(runInNewContext(`let result; ${code}; JSON.stringify(result);`, { registry: () => isOn }));
  };

  it('behaves as before while no mutant is on', () => {
    const code = switched(SOURCE, mutantsOf(SOURCE), 'registry', 'f.ts');
    expect(resultOf(code, null)).toBe(resultOf(SOURCE, null));
  });

  it('behaves as the changed source while a mutant is on', () => {
    const mutants = mutantsOf(SOURCE);
    const code = switched(SOURCE, mutants, 'registry', 'f.ts');
    // With these the loop has no end, so that there is nothing to compare.
    const ending = mutants.filter(({ before }) => !/^sum (\+= 4|< 10)/.test(before));
    expect(ending.length).toBeGreaterThan(25);
    for (const { id, start, end, after, isStatement } of ending) {
      const changed = SOURCE.slice(0, start) + (isStatement ? ';' : after) + SOURCE.slice(end);
      expect([id, resultOf(code, id)]).toEqual([id, resultOf(changed, null)]);
    }
  });

  it('can be read for every file in the scope', () => {
    for (const file of filesOf([])) {
      const source = readFileSync(file, 'utf8');
      const code = switched(source, mutantsOf(source), 'registry', file);
      expect(() => parseSync(code, { syntax: 'typescript', decorators: true })).not.toThrow();
    }
  });
});

describe('the options', () => {
  it('are the whole scope, without a sample, unless they say otherwise', () => {
    expect(readOptions([])).toEqual({ only: [], sample: null, seed: 1, isDirect: false });
    expect(readOptions(['--only', 'src/a.ts', '--sample', '50', '--seed', '7', '--direct'])).toEqual({
      only: ['src/a.ts'],
      sample: 50,
      seed: 7,
      isDirect: true,
    });
  });

  it('are refused when they can not be understood', () => {
    expect(() => readOptions(['--sample', 'some'])).toThrow('--sample must be a whole number');
    expect(() => readOptions(['--onyl', 'a'])).toThrow();
  });
});

describe('the known equivalent mutants', () => {
  it('exist, each with a reason', () => {
    for (const { file, line, changes, reason } of EQUIVALENTS) {
      const there = mutantsOf(readFileSync(file, 'utf8')).filter(
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
