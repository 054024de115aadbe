import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';

import type { Config } from '../config/config.ts';
import { cleanText } from '../platform/process/log-redaction.ts';
import { hashOf } from '../features/api-keys/env-keys.ts';
import { newKey } from '../features/api-keys/new-key.ts';
import { AdoptingClient } from './adopting-client.ts';
import { AdoptionRun, type AdoptionResult } from './adoption-run.ts';
import { audited } from './audited.ts';
import { openKeyStore } from './key-store.ts';
import { PaybellApi } from './paybell-api.ts';
import { UsageError } from './usage-error.ts';

const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Hands the payments that a file names over to the running Paybell: `--from FILE [--url URL]`, `-` for standard input.
 * It does so with an API key of its own, which it removes afterwards. Throws UsageError, or an Error with a message to
 * print.
 */
export async function adoptFrom(
  words: readonly string[],
  config: Config,
  print: (text: string) => void,
): Promise<AdoptionResult> {
  const { file, url } = readWords(words, config);
  const input = file === '-' ? process.stdin : await opened(file);
  const { apiKeys, auditLog, close } = await openKeyStore(config);
  const name = `restored-${randomBytes(4).toString('hex')}`;
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('It was stopped.'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    const secret = newKey();
    const values = { file, url: cleanText(url), apiKeyName: name };
    const adopt = async (): Promise<AdoptionResult> => {
      await apiKeys.add(name, hashOf(secret).toString('hex'), 'shop');
      const client = new AdoptingClient(new PaybellApi(url, secret, stopping.signal));
      return new AdoptionRun(client, print).run(addAbortSignal(stopping.signal, input));
    };
    return await audited(auditLog, { action: 'payments.adopt', values }, adopt, ({ isGood }) => isGood);
  } finally {
    try {
      await apiKeys.remove(name);
    } finally {
      await close();
    }
  }
}

/** Opened before anything else is done: a name that is wrong is no reason for a key. */
async function opened(file: string): Promise<Readable> {
  try {
    return (await open(file)).createReadStream();
  } catch (error) {
    throw new Error(`${file} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

function readWords(words: readonly string[], { host, port }: Config): { file: string; url: string } {
  const flags = new Map<string, string>();
  for (let at = 0; at < words.length; at += 2) {
    const [flag = '', value] = words.slice(at, at + 2);
    if (!['--from', '--url'].includes(flag) || value === undefined || flags.has(flag)) throw new UsageError();
    flags.set(flag, value);
  }
  const address = ANY_ADDRESS[host] ?? host;
  const own = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  const [file, url = own] = [flags.get('--from'), flags.get('--url')];
  if (file === undefined || file === '' || !/^https?:\/\/[^/]/.test(url)) throw new UsageError();
  return { file, url: url.replace(/\/+$/, '') };
}
