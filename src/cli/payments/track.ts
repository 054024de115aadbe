import { readFile } from 'node:fs/promises';
import { text as textOfStream } from 'node:stream/consumers';

import { isRecord } from '../../domain/payment/reading.ts';
import type { Schemas } from '../api/api-client.ts';
import type { Session } from '../api/session.ts';
import { trackBody } from '../api/track-body.ts';
import { CommandError } from '../output/exit-status.ts';
import { print } from '../output/print.ts';
import { about } from '../api/problem.ts';
import { withProgress } from '../output/progress.ts';
import { paymentTable } from './list.ts';

export interface TrackOptions {
  readonly orderId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly quote?: string;
  readonly file?: string;
  readonly json?: true;
}

export async function trackPayment(
  { api }: Session,
  quoteId: string,
  { orderId, metadata, quote, json }: TrackOptions,
): Promise<void> {
  const quoteText = quote === undefined ? null : await quoteIn(quote);
  const body = trackBody({ quoteId, orderId: orderId ?? null, metadata: metadata ?? null, quoteText });
  const sent = { method: 'POST', body };
  const { text, data } = await api.send<Schemas['PaymentAnswer']>('/api/payments', sent);
  await print(json === true ? `${text}\n` : paymentTable([data]));
}

async function quoteIn(file: string): Promise<string> {
  try {
    const text = file === '-' ? await textOfStream(process.stdin) : await readFile(file, 'utf8');
    if (isRecord(JSON.parse(text))) return text.trim();
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  }
  throw new CommandError(`${file} has no JSON object: the quote as the provider answered it.`);
}

export async function releasePayment(
  { api }: Session,
  quoteId: string,
  reason: string,
  isJson: boolean,
): Promise<void> {
  const sent = { path: { quoteId }, body: { reason } };
  const { text, data } = await api.call('post', '/api/payments/{quoteId}/release', sent);
  await print(isJson ? `${text}\n` : paymentTable([data]));
}

/** How long a payment waits for a place in the provider's budget. */
const PATIENCE_MS = 120_000;

/** Polls payments one after another: each poll uses the provider's budget. */
export async function refreshPayments(
  { api }: Session,
  quoteIds: readonly string[],
  isJson: boolean,
): Promise<void> {
  const payments: Schemas['PaymentAnswer'][] = [];
  try {
    await withProgress('Asking the provider', quoteIds.length, async (advance) => {
      for (const quoteId of quoteIds) {
        const path = { quoteId };
        const route = '/api/payments/{quoteId}/refresh';
        const { text, data } = await about(quoteId, api.callPatiently(PATIENCE_MS, 'post', route, { path }));
        if (isJson) await print(`${text}\n`);
        payments.push(data);
        advance();
      }
    });
  } finally {
    // Payments refreshed before a refusal.
    if (!isJson && payments.length > 0) await print(paymentTable(payments));
  }
}
