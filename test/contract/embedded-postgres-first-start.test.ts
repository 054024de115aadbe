import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { restoreLinks } from '../../src/platform/embedded-postgres/binaries.ts';
import { EmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };

describe('the first start of the embedded PostgreSQL', () => {
  let dataDir: string;
  let postgres: EmbeddedPostgres;

  beforeEach(() => {
    dataDir = makeDataFolder();
    postgres = new EmbeddedPostgres({ dataDir, log: quiet });
  });

  afterEach(async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  it('removes what a start that was killed in the middle left', async () => {
    mkdirSync(join(dataDir, 'postgres.new-999999999/base'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres.new-999999999/PG_VERSION'), '18\n');
    await postgres.start();
    expect(readdirSync(dataDir)).toEqual(['postgres']);
  });

  it('says so when its folder holds something else', async () => {
    mkdirSync(join(dataDir, 'postgres'));
    writeFileSync(join(dataDir, 'postgres/letter.txt'), 'dear reader');
    await expect(postgres.start()).rejects.toThrow(/neither empty nor a finished database.*DATABASE_URL/s);
    expect(readdirSync(join(dataDir, 'postgres'))).toEqual(['letter.txt']);
  });

  it('can be stopped before and while it starts', async () => {
    const starting = postgres.start();
    await Promise.all([postgres.stop(), expect(starting).rejects.toThrow(/stopped/)]);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });

  it('makes the library links that an npm without install scripts leaves out', () => {
    const library = join(dataDir, 'native/lib');
    mkdirSync(library, { recursive: true });
    writeFileSync(join(library, 'libpq.so.5.18'), 'code');
    const links = [
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
    ];
    writeFileSync(join(dataDir, 'native/pg-symlinks.json'), JSON.stringify(links));
    restoreLinks(dataDir);
    restoreLinks(dataDir);
    for (const name of ['libpq.so.5', 'libpq.so']) {
      expect(lstatSync(join(library, name)).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(library, name), 'utf8')).toBe('code');
    }
  });
});
