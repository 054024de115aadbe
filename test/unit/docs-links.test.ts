import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { TOOLS } from '../../tools/testkit/machine-tools.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Files that tools make, or that others have written. */
const NOT_OURS = /^(?:node_modules|dist|coverage|\.git|\.paybell.*)$/;
const LINK = /\]\(([^)\s]+)\)/g;
const FENCE = /^( *)```.*\n[\s\S]*?^\1```$/gm;
/** A path from the root of the repository. */
const PATH = /(?<![\w./-])(?:src|test|docs|bench|examples|tools|packages)\/[\w./-]*\w/g;
/** A source file by its name, or by the end of its path. */
const FILE_NAME = /(?<![\w./:>*-])[\w./-]*\w\.(?:ts|sql|js|mjs)\b(?!\.\w)/g;
/** A file that the reader of the page writes. */
const OWN_FILE = /save this as `([\w.]+)`/g;
/** `OfSeveralWords`, `inCamelCase`, `in_snake_case`: a class, a function or a table. */
const IDENTIFIER = /^(?:(?:[A-Z][a-z0-9]+){2,}|[a-z]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:_[a-z]+)+)$/;

/** Every file below a folder, as a path from the root. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.test(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const TREE = filesBelow('');
const PAGES = TREE.filter((path) => path.endsWith('.md') && !path.startsWith('.'));
/** The pages of docs/inside, which name classes, functions and tables. */
const INTERNAL_PAGES = PAGES.filter(
  (path) => /^(?:ARCHITECTURE|CONTRIBUTING)\.md$/.test(path) || path.startsWith('docs/inside/'),
);
const WORDS = new Set(
  TREE.filter((path) => /^(?:src|test|tools|packages)\/.*\.(?:ts|js|sql)$/.test(path)).flatMap(
    (path) => readText(path).match(/\w+/g) ?? [],
  ),
);

function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function exists(path: string): boolean {
  return statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined;
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole);
}

/** The anchors of a page, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return all(text.replace(FENCE, ''), /^#+ (.+)$/gm).map((title) => {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

/** The file that a page links to. */
function targetOf(page: string, link: string): string {
  const path = link.split('#')[0] ?? '';
  return path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
}

function isBroken(page: string, link: string): boolean {
  const target = targetOf(page, link);
  const anchor = link.split('#')[1];
  if (!exists(target)) return true;
  return anchor !== undefined && !anchorsOf(readText(target)).includes(anchor);
}

/** The source of a built file, which may be in an installed package. */
function sourceOf(name: string): string {
  return name.replace(/^(?:node_modules\/paybell\/)?dist\/(.*)\.js$/, 'src/$1.ts');
}

function isInTree(name: string): boolean {
  return TREE.some((path) => path === name || path.endsWith(`/${name}`));
}

describe('the pages', () => {
  it('are found', () => {
    expect(PAGES).toEqual(
      expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']),
    );
    expect(PAGES.filter((path) => path.startsWith('docs/')).length).toBeGreaterThan(15);
    expect(INTERNAL_PAGES.length).toBeGreaterThan(8);
  });
});

describe.each(PAGES)('%s', (page) => {
  const text = readText(page);

  it('links only to files and headings that exist', () => {
    const links = all(text, LINK).filter((link) => !/^https?:/.test(link));
    expect(links.filter((link) => isBroken(page, link))).toEqual([]);
  });

  it('names only files and folders that exist', () => {
    expect(all(text, PATH).filter((path) => !exists(path))).toEqual([]);
  });

  it('names only source files that exist', () => {
    const own = new Set(all(text, OWN_FILE));
    const names = all(text, FILE_NAME).filter((name) => !own.has(name) && name !== 'Node.js');
    // A name that begins with `..` is a link, which is held above.
    const missing = names.filter(
      (name) => !name.startsWith('..') && !isInTree(sourceOf(name.replace(/^\.\//, ''))),
    );
    expect(missing).toEqual([]);
  });
});

describe.each(INTERNAL_PAGES)('%s', (page) => {
  it('names only classes, functions and tables that the source has', () => {
    const text = readText(page);
    const blocks = [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
    const spans = all(text.replace(FENCE, ''), /`([^`\n]+)`/g);
    const words = [...spans.flatMap((span) => span.split('.')), ...(blocks.join('\n').match(/\w+/g) ?? [])];
    const names = words.filter((word) => IDENTIFIER.test(word));
    expect(names.filter((name) => !WORDS.has(name))).toEqual([]);
  });
});

describe('recipes', () => {
  const TEXT = readText('CONTRIBUTING.md');

  interface Example {
    /** The pattern in the example's files. */
    readonly words: RegExp;
    /** The place where a recipe must name the files; other files only use the example. */
    readonly within: readonly string[];
  }

  /** Earlier additions, by the heading of the recipe that describes them. */
  const EXAMPLES: Readonly<Record<string, Example>> = {
    'Add a field to an API answer': {
      words: /\blastPolledAt\b/,
      within: [
        'src/ports/payments.ts',
        'src/database/payments/stored-payment.ts',
        'src/features/payments',
        'web/src/api',
        'test/unit/payments-api',
        'test/support/fakes/payments.fake.ts',
      ],
    },
    'Add a route': {
      words: /payments\/(?:\{quoteId\}|:quoteId)\/resolve/,
      within: ['src/features', 'web/src/api', 'test/e2e', 'test/unit', 'docs'],
    },
    'Add a screen': {
      words: /screens\/provider|'\/provider'|function ProviderScreen/,
      within: ['web/src/app', 'web/src/screens/provider', 'test/e2e/dashboard/screens.test.ts'],
    },
    'Add a command': {
      words: /\breconcile\/command|addReconcile|paybell reconcile/,
      within: ['src/cli/program.ts', 'src/cli/reconcile', 'docs/running/cli.md', 'test/e2e/cli'],
    },
    'Add a metric, and its alert': {
      words: /\bpaybell_clock_skew_seconds\b/,
      within: ['src', 'deploy', 'docs/running/metrics.md', 'test/recorded'],
    },
    'Add an attention item': {
      words: /\bprovider_capacity\b/,
      within: ['src', 'web/src/screens', 'docs/running/figures.md', 'test/unit'],
    },
    'Add a stored field of a payment': {
      words: /\bended_at\b|readonly endedAt/,
      within: ['src/domain/payment', 'src/database'],
    },
    'Add a setting': {
      words: /\bWEBHOOK_LANE_PATIENCE_SECONDS\b|\bwebhookLanePatienceMs\b/,
      within: ['src', '.env.example', 'docs/running/configuration.md'],
    },
  };

  const RECIPES = new Map(
    TEXT.slice(TEXT.indexOf('\n## Recipes'))
      .split('\n### ')
      .slice(1)
      .map((recipe) => [recipe.split('\n')[0] ?? '', recipe]),
  );

  /** The files that a recipe names, as one pattern each: `<name>` stands for any name. */
  function namedIn(recipe: string): RegExp[] {
    const links = [...recipe.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path);
    const spans = [...recipe.matchAll(/`((?:src|web|test)\/[^`]*<[^`]*)`/g)].map(([, path = '']) => path);
    const escaped = [...links, ...spans].map((path) => path.replaceAll('.', String.raw`\.`));
    return escaped.map((path) => new RegExp(`^${path.replaceAll(/<\w+>/g, String.raw`[\w-]+`)}$`));
  }

  describe('the recipes of CONTRIBUTING.md', () => {
    it.each(Object.entries(EXAMPLES))(
      '%s: names every file that its example is in',
      (title, { words, within }) => {
        const named = namedIn(RECIPES.get(title) ?? '');
        const isWithin = (file: string): boolean =>
          within.some((path) => file === path || file.startsWith(`${path}/`));
        const files = TREE.filter((file) => isWithin(file) && words.test(readText(file)));
        expect(files.length).toBeGreaterThan(2);
        expect(files.filter((file) => !named.some((pattern) => pattern.test(file)))).toEqual([]);
      },
    );
  });

  describe('the tools of CONTRIBUTING.md', () => {
    it('are those that tests name, each with what is missing without it', () => {
      const rows = TEXT.split('\n').filter((line) => line.startsWith('| `') && line.split('|').length === 5);
      const listed = rows.flatMap((row) => row.split('|')[1]?.match(/(?<=`)[\w-]+(?=`)/g) ?? []);
      expect(listed).toEqual(expect.arrayContaining(Object.keys(TOOLS)));
      expect(
        rows.filter((row) => row.split('|').some((cell, at) => at > 0 && at < 4 && cell.trim() === '')),
      ).toEqual([]);
    });
  });
});
