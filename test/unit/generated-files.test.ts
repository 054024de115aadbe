import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import type { OpenAPI3 } from 'openapi-typescript';

import { apiTypes } from '../../tools/generate/api-types.ts';
import { generatedFiles, staleAmong } from '../../tools/generate/generated-files.ts';

const API_TYPES = 'web/src/api/schema.d.ts';
const DOCUMENT: OpenAPI3 = {
  openapi: '3.0.0',
  info: { title: 'Paybell', version: '1' },
  paths: { '/api/quote': { get: { responses: { 200: { description: 'A quote.' } } } } },
};
const types = await apiTypes(DOCUMENT);

/** The tree as it is, with the types of a document that needs no service, and with another text of some files. */
async function staleWith(changed: Readonly<Record<string, (text: string) => string>>): Promise<string[]> {
  const textOf = (path: string): string =>
    path === API_TYPES ? types : readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const read = (path: string): string => changed[path]?.(textOf(path)) ?? textOf(path);
  return staleAmong(await generatedFiles(read, Promise.resolve(DOCUMENT)));
}

describe('what npm run generate makes', () => {
  it('is not stale as it is', async () => {
    expect(await staleWith({})).toEqual([]);
  });

  it('is found stale where a file has another text, each by its path', async () => {
    const stale = await staleWith({
      'packages/client/src/event-types.ts': (text) => text.replace('readonly', ''),
      '.env.example': (text) => text.replace('# PORT=3000', '# PORT=3001'),
      'docs/running/configuration.md': (text) => text.replace('`65535`', '`65536`'),
      'docs/using/client.md': (text) => text.replace('=> PaybellEvent', '=> Event'),
      'docs/using/events.md': (text) => text.replace('| field', '| column'),
      'docs/running/metrics.md': (text) => text.replace('| critical', '| warning'),
      [API_TYPES]: (text) => text.replace('/api/quote', '/api/quotes'),
    });
    expect(stale).toEqual([
      'packages/client/src/event-types.ts',
      '.env.example',
      'docs/running/configuration.md',
      'docs/using/client.md',
      'docs/using/events.md',
      'docs/running/metrics.md',
      API_TYPES,
    ]);
  });

  it('is found stale where what it is made of has changed', async () => {
    const stale = await staleWith({
      'deploy/prometheus/rules.yml': (text) => text.replace('severity: critical', 'severity: warning'),
    });
    expect(stale).toEqual(['docs/running/metrics.md']);
  });
});
