import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';

import type { Config } from '../../config/config.ts';
import { cleanText } from '../../platform/process/log-redaction.ts';
import { onStopSignal } from '../../platform/process/signals.ts';
import { hashOf } from '../../features/api-keys/env-keys.ts';
import { newKey } from '../../features/api-keys/new-key.ts';
import { ApiClient } from '../api/api-client.ts';
import { Patience } from '../api/patience.ts';
import { AdoptingClient } from './adopting-client.ts';
import { AdoptionRun, type AdoptionResult } from './adoption-run.ts';
import { audited } from '../database/audited.ts';
import { openKeyStore } from '../database/key-store.ts';

/** How long a payment is tried again while the provider is away or its budget is used up. */
const PATIENCE = { busyMs: 15 * 60_000, awayMs: 30_000, newKeyMs: 10_000 };

/** The file, and the running Paybell. */
export interface AdoptionSource {
  readonly file: string;
  readonly url: string;
}

/**
 * Submits the payments of a file to the running Paybell; the file `-` is standard input. Uses an API key of its own, which it
 * removes afterwards. Throws an Error with a message to print.
 */
export async function adoptFrom(
  { file, url }: AdoptionSource,
  config: Config,
  print: (text: string) => void,
): Promise<AdoptionResult> {
  const input = file === '-' ? process.stdin : await opened(file);
  const { apiKeys, auditLog, close } = await openKeyStore(config);
  const name = `restored-${randomBytes(4).toString('hex')}`;
  const stopping = new AbortController();
  onStopSignal(() => stopping.abort(new Error('It was stopped.')));
  try {
    const secret = newKey();
    const values = { file, url: cleanText(url), apiKeyName: name };
    const adopt = async (): Promise<AdoptionResult> => {
      await apiKeys.addKey(name, hashOf(secret).toString('hex'), 'admin');
      const client = new AdoptingClient(
        new ApiClient(url, secret, stopping.signal),
        new Patience(PATIENCE, stopping.signal),
      );
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

/** Opened first: a wrong file name must not create a key. */
async function opened(file: string): Promise<Readable> {
  try {
    return (await open(file)).createReadStream();
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
