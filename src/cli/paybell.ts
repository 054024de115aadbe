#!/usr/bin/env node
import 'reflect-metadata';

import { Config } from '../config.ts';
import { openKeyStore } from './key-store.ts';
import { manageKeys, UsageError } from './keys.ts';

const USAGE = `Usage: paybell keys list
       paybell keys add NAME       makes a key and shows it once
       paybell keys revoke NAME    it stops working within 10 seconds

The database is the one of DATABASE_URL, or else the embedded one in DATA_DIR, of a running Paybell.
`;

async function main([command, ...words]: readonly string[]): Promise<void> {
  if (command !== 'keys') throw new UsageError();
  const { apiKeys, close } = await openKeyStore(new Config(process.env));
  try {
    process.stdout.write(await manageKeys(words, apiKeys));
  } finally {
    await close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(error instanceof UsageError ? USAGE : `${(error as Error).message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
