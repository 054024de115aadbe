import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

const PAGE = 'docs/inside/ways.md';

/** Files to which no way leads, by the reason. */
const LEFT_OUT: Readonly<Record<string, RegExp>> = {
  'ports, which lead to the class that extends them': /^src\/ports\//,
  'the HTTP front and the platform, but for the signals between two loops':
    /^src\/platform\/(?!scheduling\/delivery-signals)/,
  'values of the domain': /^src\/domain\/(?:payment|text|chains|proof)\//,
  'descriptions and settings': /(?:\.(?:dto|settings|module|entity)|-descriptor|\/record-settings)\.ts$/,
  'connections, locks and secrets':
    /^src\/database\/(?:connection|secrets)\/|\/label-lock\.ts$|\/join_log\.sql$/,
  'providers, chains and RabbitMQ, which are beside the way':
    /^src\/(?:providers|chains|destinations\/rabbitmq|cli)\//,
  'a row or a value that is mapped':
    /\/(?:payment-row|stored-payment|final|due-by|spacing|failure-advice|attempt-code|excerpt)\.ts$/,
  'an expression in SQL':
    /\/(?:log_epoch|is_settled|latest_poll|scaled_interval|gets_payments|name_others|last_delivered_at|uuid_of|note_success|probe_wait|refused_since)\.sql$/,
  proofs: /_to_prove\.sql$/,
};

interface Way {
  readonly title: string;
  /** A second entry begins where a signal wakes it. */
  readonly entries: readonly string[];
  readonly most: number;
  /** Files that a file of the way uses for another purpose, by the reason. */
  readonly aside: Readonly<Record<string, readonly string[]>>;
}

const WAYS: readonly Way[] = [
  {
    title: 'A quote is stored',
    entries: ['src/features/quotes/quotes.controller.ts'],
    most: 21,
    aside: {
      'other routes of the controller': ['status.service.ts', 'token-search.ts'],
      'lists that are cached': ['chain-lists.ts', 'agreed-decimals.ts'],
      'other methods of the store': [
        'relabel.ts',
        'resolve.ts',
        'bounded-reading.ts',
        'change-payment.ts',
        'count-payments.ts',
        'list-payments.ts',
        'payment-queries.ts',
      ],
      'quotes without an answer': ['unanswered-quotes.store.ts'],
      'later events': ['keep_texts.sql'],
    },
  },
  {
    title: "A poll's answer becomes a delivered webhook",
    entries: ['src/features/polling/poll-workers.ts', 'src/features/delivery/dispatcher.ts'],
    most: 25,
    aside: {
      claims: [
        'claim-queue.ts',
        'claims.ts',
        'low-watermarks.ts',
        'make-due.ts',
        'read-claims.ts',
        'after-outage.ts',
        'claim-deliveries.ts',
        'due-targets.ts',
        'take_probes.sql',
        'bring_forward.sql',
      ],
      'polls that find nothing new': ['extend-unchanged.ts', 'unchanged.ts'],
      'the budget, and a provider that fails': [
        'provider-rate-limit.store.ts',
        'provider-troubles.ts',
        'provider-circuit.ts',
        'rate-limit-transitions.ts',
        'rate-limit-view.ts',
        'stall.ts',
      ],
      'endpoints, and what is watched': ['webhook-endpoints.store.ts', 'delivery-watch.ts'],
    },
  },
  {
    title: 'A failed delivery is tried again',
    entries: ['src/features/delivery/dispatcher.ts'],
    most: 14,
    aside: {
      'the attempt itself': ['webhook-sender.ts'],
      'endpoints, and what is watched': ['webhook-endpoints.store.ts', 'delivery-watch.ts'],
    },
  },
];

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => join('src', path))
  .filter((path) => /\.(?:ts|sql)$/.test(path));
const TEXTS = new Map(SOURCES.map((path) => [path, readFileSync(path, 'utf8')]));
const textOf = (path: string): string => TEXTS.get(path) ?? '';

const [PORTS, OTHERS] = [true, false].map((isPort) =>
  SOURCES.filter((path) => path.startsWith('src/ports/') === isPort),
) as [string[], string[]];

/** The classes behind each port, by its name. An error of a port has none. */
const BEHIND = new Map<string, string[]>();
for (const [, port = ''] of PORTS.flatMap((path) => [...textOf(path).matchAll(/abstract class (\w+)/g)])) {
  const extending = new RegExp(`class \\w+ extends ${port}\\b`);
  BEHIND.set(
    port,
    OTHERS.filter((path) => extending.test(textOf(path))),
  );
}

const FUNCTIONS = SOURCES.filter((path) => path.endsWith('.sql')).map(
  (path) => [path, new RegExp(`\\b${basename(path, '.sql')}\\(`)] as const,
);

/** The classes and functions that a file imports, the classes behind the ports, and the database functions that it calls. */
function usesOf(path: string): string[] {
  const imports = [...textOf(path).matchAll(/^import\s+(type\s)?[^;{]*\{([^}]*)\}\s+from\s+'(\.[^']+)'/gm)];
  const files = imports.flatMap(([, type, list = '', from = '']) => {
    const file = join(dirname(path), from);
    const words = list
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    const names = words.map((word) => word.replace('type ', ''));
    if (file.startsWith('src/ports/')) return names.flatMap((name) => BEHIND.get(name) ?? []);
    const isValue = type === undefined && words.some((word) => !word.startsWith('type '));
    const isClass = names.some((name) => textOf(file).includes(`class ${name}`));
    return isValue || isClass ? [file] : [];
  });
  const called = FUNCTIONS.filter(([file, call]) => file !== path && call.test(textOf(path)));
  return [...files, ...called.map(([file]) => file)];
}

/** The files of a way, and those that were left aside. A function of the domain is opened where the way enters the domain. */
function follow({ entries, aside }: Way): { files: Set<string>; turned: Set<string> } {
  const names = new Set(Object.values(aside).flat());
  const files = new Set(entries);
  const turned = new Set<string>();
  for (const file of files)
    for (const used of usesOf(file)) {
      if (Object.values(LEFT_OUT).some((pattern) => pattern.test(used))) continue;
      if (file.startsWith('src/domain/') && used.startsWith('src/domain/')) continue;
      (names.has(basename(used)) ? turned : files).add(used);
    }
  return { files, turned };
}

const SECTIONS = readFileSync(PAGE, 'utf8').split(/^## /m).slice(1);

describe.each(WAYS.map((way, index) => ({ ...way, section: SECTIONS[index] ?? '' })))(
  'the way of ways.md: $title',
  ({ section, ...way }) => {
    const links = [...section.matchAll(/^\d+\. \[[^\]]+\]\(([^)]+)\)$/gm)];
    const listed = links.map(([, link = '']) => join(dirname(PAGE), link));
    const { files, turned } = follow(way);

    it('has each file that its imports lead to, and no other', () => {
      expect(section.split('\n')[0]).toBe(way.title);
      expect({
        missing: [...files].filter((file) => !listed.includes(file)),
        superfluous: listed.filter((file) => !files.has(file)),
      }).toEqual({ missing: [], superfluous: [] });
    });

    it('has as many files as it says, and no more than before', () => {
      expect(listed.every((file) => existsSync(file))).toBe(true);
      expect(Number(/^(\d+) files/m.exec(section)?.[1])).toBe(new Set(listed).size);
      expect(files.size).toBeLessThanOrEqual(way.most);
    });

    it('turns aside what its imports lead to', () => {
      const reached = new Set([...turned].map((file) => basename(file)));
      expect(
        Object.values(way.aside)
          .flat()
          .filter((name) => !reached.has(name)),
      ).toEqual([]);
    });
  },
);
