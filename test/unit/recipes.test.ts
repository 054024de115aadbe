import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

import { TOOLS } from '../../tools/testkit/machine-tools.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

interface Example {
  /** What the example's files hold. */
  readonly words: RegExp;
  /** Where a recipe has to name each of them; who only uses the example is elsewhere. */
  readonly within: readonly string[];
}

/** What has been added before, by the heading of the recipe that would have added it. */
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

function filesOf(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  const files = readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(ROOT.length));
}

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
      const files = within
        .flatMap(filesOf)
        .filter((file) => words.test(readFileSync(join(ROOT, file), 'utf8')));
      expect(files.length).toBeGreaterThan(2);
      expect(files.filter((file) => !named.some((pattern) => pattern.test(file)))).toEqual([]);
    },
  );

  it('are those of the commonest changes', () => {
    expect([...RECIPES.keys()]).toEqual(expect.arrayContaining(Object.keys(EXAMPLES)));
  });
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

  it('come after the command for a change, which the first paragraph names', () => {
    expect(TEXT.split('\n\n')[1]).toContain('npm run test:changed');
  });
});
