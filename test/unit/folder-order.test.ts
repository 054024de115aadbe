import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

import { PROVIDERS, QUOTE_TABLES } from '../../src/providers/registered-providers.ts';

const TABLES = QUOTE_TABLES.all.map(({ name }) => name);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The folders of each layer, the lowest first: files import their own folder and lower ones. `*` is the place of the layer's
 * own files, of which modules are above all folders.
 */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  'src/chains': ['chain-kinds.ts', 'chain-witnesses.ts', 'evm', '*'],
  'src/cli': [
    'output',
    'provider',
    'api',
    'events',
    'deliveries',
    'endpoints',
    'payments',
    'reconcile',
    'sandbox',
    'listen',
    'database',
    'keys',
    'restored',
    'doctor',
    '*',
  ],
  'src/database': [
    '*',
    'entities',
    'schema',
    'connection',
    'secrets',
    'events',
    'history',
    'gate',
    'deliveries',
    'attention',
    'payments',
    'polling',
    'proof',
    'figures',
    'endpoints',
    'audit',
  ],
  'src/destinations/rabbitmq': ['*', 'track-queue'],
  'src/domain': [
    'text',
    'chains',
    'proof',
    'rate-limit',
    'payment',
    'event',
    'attention',
    'delivery',
    'figures',
    'polling',
    'access',
    'replicas',
  ],
  'src/platform': [
    '*',
    'bounded-reading',
    'outbound',
    'scheduling',
    'embedded-postgres',
    'tracing',
    'http',
    'process',
    'metrics',
  ],
  'src/providers/relay': ['*', 'catalog', 'quote', 'status', 'notices', 'reconcile', 'relay-provider.ts'],
  'web/src': ['format', 'api', 'payment-facts', 'ui', 'access', 'screens', 'app', '*'],
  'web/src/screens': [
    'access',
    'deliveries',
    'delivery',
    'endpoints',
    'endpoint',
    'live',
    'payment',
    'payments',
    'provider',
    'attention',
    'sandbox',
    'sign-in',
    'system',
  ],
};

/** A payment's changes are events, and each event shows a payment: one subject in two folders. */
const ALLOWED = [
  'src/domain/payment/apply-report.ts > src/domain/event/event-data.ts',
  'src/domain/payment/apply-report.ts > src/domain/event/event.ts',
  'src/domain/payment/transition.ts > src/domain/event/event.ts',
];

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return Array.from(text.matchAll(IMPORT), ([, path = '']) => join(dirname(file), path));
}

/** How high a file stands in a layer; null where its folder is not in the order. */
function heightIn(layer: string, file: string): number | null {
  const [name = '', ...rest] = relative(layer, file).split('/');
  const order = ORDER[layer] ?? [];
  if (rest.length === 0 && name.endsWith('.module.ts')) return order.length;
  const place = rest.length > 0 || order.includes(name) ? name : '*';
  return order.includes(place) ? order.indexOf(place) : null;
}

function importsUpwards(layer: string): string[] {
  return filesIn(layer).flatMap((file) => {
    const height = heightIn(layer, file) ?? -1;
    const above = importsOf(file).filter(
      (imported) => imported.startsWith(`${layer}/`) && (heightIn(layer, imported) ?? -1) > height,
    );
    return above.map((imported) => `${file} > ${imported}`);
  });
}

describe('the database', () => {
  it('names no provider but where it makes their tables: each registers what is read and removed', () => {
    // `http_status` is a column of deliveries.
    const names = Object.keys(PROVIDERS).filter((name) => name !== 'http');
    const named = new RegExp(
      `\\b(?:${[...names.map((name) => `${name}_`), ...TABLES].join('|')})|'(?:${names.join('|')})'`,
    );
    const texts = readdirSync(join(ROOT, 'src/database'), { recursive: true, encoding: 'utf8' }).filter(
      (path) => /\.(?:ts|sql)$/.test(path) && !path.startsWith('schema/'),
    );
    expect(texts.length).toBeGreaterThan(100);
    const naming = texts.filter((path) => named.test(readFileSync(join(ROOT, 'src/database', path), 'utf8')));
    expect(naming).toEqual([]);
  });
});

describe('the folders of a layer', () => {
  it.each(Object.keys(ORDER))('all have their place in the order of %s', (layer) => {
    expect(filesIn(layer).filter((file) => heightIn(layer, file) === null)).toEqual([]);
  });

  it('import no folder above their own', () => {
    expect(Object.keys(ORDER).flatMap(importsUpwards).toSorted()).toEqual(ALLOWED);
  });
});
