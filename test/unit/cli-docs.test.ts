import { readdirSync, readFileSync } from 'node:fs';

import type { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';

import { buildProgram } from '../../src/cli/program.ts';
import { ExitStatus } from '../../src/cli/output/exit-status.ts';

const PAGES = [...readdirSync('docs/running').map((name) => `docs/running/${name}`), 'README.md'];
const PAGE = readFileSync('docs/running/cli.md', 'utf8');

/** The command lines of a page's blocks of shell. */
function examplesIn(page: string): string[] {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)];
  return blocks
    .flatMap(([, block = '']) => block.split('\n'))
    .flatMap((line) => /^(?:npx )?paybell (.*?)(?: >>? .*| +#.*)?$/.exec(line)?.[1] ?? []);
}

/** As a shell splits them, as far as the examples need it. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function leavesOf(command: Command, before: readonly string[] = []): { name: string; command: Command }[] {
  const path = command.parent === null ? before : [...before, command.name()];
  if (command.commands.length === 0) return [{ name: path.join(' '), command }];
  return command.commands.flatMap((each) => leavesOf(each, path));
}

/** The command that these words call, without what it does. */
async function called(words: readonly string[]): Promise<string | null> {
  const program = buildProgram();
  let found: string | null = null;
  for (const { name, command } of leavesOf(program))
    command.action(() => {
      found = name;
    });
  await program.parseAsync(words, { from: 'user' });
  return found;
}

const EXAMPLES = PAGES.flatMap((page) => examplesIn(page).map((line) => ({ page, line })));
const NAMES = leavesOf(buildProgram()).map(({ name }) => name);

describe('docs/running/cli.md', () => {
  it('has an example of each command', async () => {
    const shown = await Promise.all(examplesIn('docs/running/cli.md').map((line) => called(wordsOf(line))));
    expect(NAMES.length).toBeGreaterThan(20);
    expect(NAMES.filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('has each exit status', () => {
    const [, table = ''] = /\| exit status[^\n]*\n\|[-\s|]*\n((?:\|[^\n]*\n)+)/.exec(PAGE) ?? [];
    const told = [...table.matchAll(/^\| ([\d, ]+?) +\|/gm)].flatMap(([, cell = '']) => cell.split(', '));
    expect(told.map(Number)).toEqual(Object.values(ExitStatus));
  });
});

it.each(EXAMPLES)('$page: the parser takes "paybell $line"', async ({ line }) => {
  expect(NAMES).toContain(await called(wordsOf(line)));
});

describe('the help', () => {
  it.each(leavesOf(buildProgram()))('of $name says what it does and what each option is', ({ command }) => {
    expect(command.description()).toMatch(/\.$/);
    expect(command.options.filter(({ description }) => description === '')).toEqual([]);
  });
});
