import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

function linesOf(path: string): number {
  return readFileSync(path, 'utf8').split('\n').length - 1;
}

it('a provider that passes the conformance suite takes no more than 150 lines', () => {
  expect(linesOf('test/support/toy/toy-provider.ts')).toBeLessThanOrEqual(150);
});

/** Those before Chainflip; Chainflip, with its states, limits and two ways to open a channel; what each shows of an output. */
const MOST_LINES = 7_850 + 1_630 + 120;

it('all providers together stay within 9,600 lines: what they share stands once', () => {
  const files = readdirSync('src/providers', { recursive: true, encoding: 'utf8' });
  const lines = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => linesOf(join('src/providers', file)));
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST_LINES);
});
