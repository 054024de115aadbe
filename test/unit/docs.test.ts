import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { storyOf } from '../../src/providers/sandbox/stories.ts';
import { judgeMove, STATUSES } from '../../src/domain/payment/status.ts';
import { EVENT_TYPES } from '../../src/domain/event/event.ts';
import type { Command } from 'commander';
import { ADVICE, CHECK_ADVICE, ITEM_ADVICE } from '../../src/cli/doctor/advice.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { ExitStatus } from '../../src/cli/output/exit-status.ts';

/** Words and beginnings that a noun replaces, so that a reader need not guess their meaning. */
const RIDDLES: readonly (readonly [words: string, pattern: RegExp])[] = [
  [
    '"so many", "so long": name the quantity',
    /\bso (?:many|few|much|long|often|late|soon|early)\b(?! that\b)/i,
  ],
  ['"so far": until when', /\bso far\b/i],
  ['"of before", "from before": say older than what', /\b(?:of|from) before\b/i],
  ['"of late": lately, recent', /\bof late\b/i],
  ['"nobody": name who does not', /(?<!`)\b[Nn]obody\b(?!`)/],
  ['"one that": name it', /(?<!\b(?:the|first|last|only) )\bone that\b/i],
  ['"can not": cannot', /\bcan not\b/i],
  ['"without a word", "as good as": say what happens', /\bwithout a word\b|\bas good as\b/i],
  ['"can\'t": cannot', /\bcan't\b/i],
  ['"somebody", "anybody": name who does', /\b(?:some|any)body\b/i],
  ['"Whose", "It", "They" at the beginning: the noun', /^(?:Whose|It|They|Them|Theirs)\b/],
  ['"What …" at the beginning: a sentence with a verb, or the noun', /^What\b/],
];

const COMMENT = /\/\*\*?(?<block>[\s\S]*?)\*\/|(?<=^|\s)\/\/ (?<line>.*)$/gm;
const SQL_COMMENT = /--(?<line>.*)$/gm;

/** The texts of the comments of a file; lines that follow each other are one text. */
function commentsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replaceAll(
    /\n *(?:\/\/|--) (?=.)/g,
    (start, at: number, whole: string) =>
      /(?:\/\/|--).*$/.test(whole.slice(whole.lastIndexOf('\n', at - 1) + 1, at)) ? ' ' : start,
  );
  return [...text.matchAll(path.endsWith('.sql') ? SQL_COMMENT : COMMENT)].map(({ groups }) =>
    (groups?.['block'] ?? groups?.['line'] ?? '').replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim(),
  );
}

/** The folders whose comments are read; the API's types are made of comments of `src`. */
const COMMENTED = ['src', 'web/src', 'tools', 'test', 'packages/client/src'];

const COMMENTS = COMMENTED.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
)
  .filter((path) => /\.(?:tsx?|js|sql)$/.test(path) && !path.endsWith('schema.d.ts'))
  .flatMap((path) => commentsOf(path).map((comment) => ({ path, comment })));

describe('comments', () => {
  it('are found', () => {
    expect(COMMENTS.length).toBeGreaterThan(4_000);
    expect(commentsOf('test/unit/docs.test.ts')).toContain(
      'The texts of the comments of a file; lines that follow each other are one text.',
    );
  });

  it.each(RIDDLES)('say no riddle: %s', (_words, pattern) => {
    expect(COMMENTS.filter(({ comment }) => pattern.test(comment))).toEqual([]);
  });
});

it('every export of the client is described in its types', () => {
  const bare = readdirSync('packages/client/src').flatMap((name) => {
    const text = readFileSync(join('packages/client/src', name), 'utf8');
    const exported = text.matchAll(
      /(\*\/\n|)^export (?:abstract |async )?(?:class|function|const|interface|type) (\w+)/gm,
    );
    return [...exported].filter(([, comment]) => comment === '').map(([, , word]) => `${name} ${word}`);
  });
  expect(bare).toEqual([]);
});

const SHELVES = readdirSync('docs', { recursive: true, encoding: 'utf8' });
const PAGES = SHELVES.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`);
const MOST_WORDS = 42_000;
/** The table of all settings is the longest. */
const MOST_WORDS_OF_A_PAGE = 2_600;
const MOST_WORDS_OF_BENCHMARKS = 2_000;

/** The bars and lines of tables are no words. */
function wordsOf(path: string): number {
  return readFileSync(path, 'utf8')
    .split(/\s+/)
    .filter((word) => /\w/.test(word)).length;
}

it('no page is too long to be read to its end', () => {
  expect(PAGES.length).toBeGreaterThan(30);
  expect(PAGES.filter((path) => wordsOf(path) > MOST_WORDS_OF_A_PAGE)).toEqual([]);
  expect(wordsOf('docs/inside/benchmarks.md')).toBeLessThanOrEqual(MOST_WORDS_OF_BENCHMARKS);
});

it('all pages together are short enough to be kept true, as `wc -w` counts', () => {
  const words = PAGES.flatMap((path) => readFileSync(path, 'utf8').trim().split(/\s+/)).length;
  expect(words).toBeLessThanOrEqual(MOST_WORDS);
});

it('every page stands in the index', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const missing = PAGES.filter((path) => path !== 'docs/README.md').filter(
    (path) => !index.includes(`](${path.slice('docs/'.length)})`),
  );
  expect(missing).toEqual([]);
});

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const readText = (name: string): Promise<string> => readFile(join(ROOT, name), 'utf8');

const codeSpans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

/** The rows of all tables with this first heading, cell by cell. */
function rowsOf(text: string, heading: string): string[][] {
  const lines = text.split('\n');
  const isHead = new RegExp(`^\\| ${heading} +\\|`);
  const heads = lines.flatMap((line, index) => (isHead.test(line) ? [index] : []));
  expect(heads.length).toBeGreaterThan(0);
  return heads.flatMap((head) => {
    const body = lines.slice(head + 2);
    const end = body.findIndex((line) => !line.startsWith('|'));
    return body.slice(0, end).map(cellsOf);
  });
}

function cellsOf(line: string): string[] {
  const cells = line.split('|').map((cell) => cell.trim());
  return cells.slice(1, -1);
}

it.each([
  ['README.md', 120],
  ['ARCHITECTURE.md', 130],
])('%s has at most %i lines', async (page, most) => {
  expect((await readText(page)).trimEnd().split('\n').length).toBeLessThanOrEqual(most);
});

describe('README.md', () => {
  it('has eight guarantees, and reliability.md names the tests that show each', async () => {
    const part = (await readText('README.md')).split('\n## ').find((each) => each.startsWith('Guarantees\n'));
    const bullets = (part ?? '').split('\n- ').slice(1);
    const rows = rowsOf(await readText('docs/inside/reliability.md'), String.raw`\[guarantee\]\(\S+\)`);
    expect(rows).toHaveLength(8);
    for (const [index, [name = '', tests = '']] of rows.entries()) {
      expect(bullets[index]?.replaceAll('**', '').startsWith(name)).toBe(true);
      expect(codeSpans(tests).every((test) => /^test\/.*\.test\.ts$/.test(test))).toBe(true);
    }
  });

  it('names only npm scripts that there are', async () => {
    const { scripts } = JSON.parse(await readText('package.json')) as { scripts: Record<string, string> };
    const readme = await readText('README.md');
    const named = [...readme.matchAll(/npm run ([\w:]+)|npm (start|test)\b/g)].map(
      ([, run, own]) => run ?? own ?? '',
    );
    expect(named).toEqual(expect.arrayContaining(['demo', 'start', 'test']));
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('links only to files that the package brings along', async () => {
    const manifest = JSON.parse(await readText('package.json')) as { files: string[] };
    const links = [...(await readText('README.md')).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, link = '']) => link,
    );
    const own = links.filter((link) => !/^https?:/.test(link)).map((link) => link.split('#')[0] ?? '');
    expect(own.length).toBeGreaterThan(20);
    const isPacked = (path: string): boolean =>
      manifest.files.some((file) => path === file || path.startsWith(`${file}/`));
    expect(own.filter((path) => !isPacked(path))).toEqual([]);
    expect(new Set(manifest.files).size).toBe(manifest.files.length);
  });
});

describe('ARCHITECTURE.md', () => {
  it('has a page of docs/inside for each decision', async () => {
    const [, decisions = ''] = (await readText('ARCHITECTURE.md')).split('\n## Decisions\n');
    const bullets = decisions.split('\n- ').slice(1);
    expect(bullets.length).toBeGreaterThan(15);
    expect(bullets.filter((bullet) => !bullet.includes('](docs/inside/'))).toEqual([]);
  });

  it('shows every move between statuses, and no other', async () => {
    const picture = /```mermaid\n([\s\S]*?)```/.exec(await readText('ARCHITECTURE.md'))?.[1] ?? '';
    const shown = [...picture.matchAll(/(\w+) (-->|-\. late \.->) (.+)/g)].flatMap(
      ([, from, arrow, to = '']) =>
        to.split(' & ').map((each) => `${from} ${arrow === '-->' ? 'forward' : 'late'} ${each}`),
    );
    const moves = STATUSES.flatMap((from) => STATUSES.map((to) => `${from} ${judgeMove(from, to)} ${to}`));
    expect(shown.toSorted()).toEqual(moves.filter((move) => / (?:forward|late) /.test(move)).toSorted());
  });
});

describe('docs/running/sandbox.md', () => {
  it('shows every story of the sandbox', async () => {
    const rows = rowsOf(await readText('docs/running/sandbox.md'), '`metadata\\.story`');
    const published = rows.flatMap(([, digits = '']) => codeSpans(digits));
    const hundredths = Array.from({ length: 100 }, (_none, index) => String(index).padStart(2, '0'));
    const thousandths = Array.from({ length: 1_000 }, (_none, index) => String(index).padStart(3, '0'));
    const own = (digits: string): boolean => storyOf(`1.${digits}`) !== storyOf(`1.${digits.slice(1)}`);
    expect(published).toEqual(hundredths.filter(own).concat(thousandths.filter(own)));
  });
});

describe('docs/running/troubleshooting.md', () => {
  it('quotes only messages that the source has', async () => {
    const files = await readdir(join(ROOT, 'src'), { recursive: true });
    const sources = files.filter((file) => /\.[tj]s$/.test(file)).map((file) => readText(`src/${file}`));
    const source = (await Promise.all(sources)).join('\n').replaceAll("\\'", "'");
    const page = await readText('docs/running/troubleshooting.md');
    const messages = [...page.matchAll(/^- (?<message>(?:`[^`]+`|[^`:])+): /gm)];
    expect(messages.length).toBeGreaterThan(20);
    const spans = messages.flatMap(({ groups }) => codeSpans(groups?.['message'] ?? ''));
    const parts = spans.flatMap((span) => span.split(/[…:;,()]/).map((part) => part.trim()));
    const own = parts.filter((part) => part.length > 5 && !/\d$/.test(part));
    expect(own.length).toBeGreaterThan(messages.length);
    expect(own.filter((part) => !source.includes(part))).toEqual([]);
  });
});

describe('docs/using/receive-webhooks.md', () => {
  it('says of every event type what it means', async () => {
    const rows = rowsOf(await readText('docs/using/receive-webhooks.md'), 'type');
    expect(rows.flatMap(([type = '']) => codeSpans(type))).toEqual([...EVENT_TYPES]);
  });
});

describe('cli docs', () => {
  const PAGES = [...readdirSync('docs/running').map((name) => `docs/running/${name}`), 'README.md'];
  const PAGE = readFileSync('docs/running/cli.md', 'utf8');

  /** The command lines of a page's blocks of shell. */
  function examplesIn(page: string): string[] {
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)];
    return blocks
      .flatMap(([, block = '']) => block.split('\n'))
      .flatMap((line) => /^(?:npx )?paybell (.*?)(?: >>? .*| +#.*)?$/.exec(line)?.[1] ?? []);
  }

  /** Splits words like a shell, as far as the examples need it. */
  function wordsOf(line: string): string[] {
    return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  }

  function leavesOf(command: Command, before: readonly string[] = []): { name: string; command: Command }[] {
    const path = command.parent === null ? before : [...before, command.name()];
    if (command.commands.length === 0) return [{ name: path.join(' '), command }];
    return command.commands.flatMap((each) => leavesOf(each, path));
  }

  /** The command that these words call; does not run it. */
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

  describe('the advice of the doctor', () => {
    const TEXTS = Object.entries({ ...ADVICE, ...CHECK_ADVICE, ...ITEM_ADVICE });

    it.each(TEXTS)('on %s names commands and pages that there are', async (_case, text) => {
      for (const [, line = ''] of text.matchAll(/`paybell ([^`]+)`/g))
        expect(NAMES).toContain(await called(wordsOf(line)));
      for (const [, page = '', anchor] of text.matchAll(/(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)) {
        const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
        const anchors = Array.from(headings, ([, title = '']) =>
          title
            .toLowerCase()
            .replaceAll(/[^\w\s-]/g, '')
            .replaceAll(' ', '-'),
        );
        if (anchor !== undefined) expect(anchors).toContain(anchor);
      }
    });
  });

  describe('the help', () => {
    it.each(leavesOf(buildProgram()))('of $name says what it does and what each option is', ({ command }) => {
      expect(command.description()).toMatch(/\.$/);
      expect(command.options.filter(({ description }) => description === '')).toEqual([]);
    });
  });
});
