import { randomUUID } from 'node:crypto';

import { isRecord } from '../../../domain/payment/reading.ts';
import {
  ProviderMisconfigured,
  type PaymentProvider,
  type StatusAnswer,
} from '../../../ports/payment-provider.ts';
import { checkBy, CheckList, type ProviderCheck } from '../../shared/check-list.ts';
import { HttpProvider, type HttpProviderOptions } from '../http-provider.ts';

interface HttpPlace extends Pick<HttpProviderOptions, 'apiKey' | 'auth'> {
  readonly baseUrl: string | null;
}

/** The check of the provider of the spec that these settings name. */
export function httpCheck(
  { baseUrl, apiKey, auth }: HttpPlace,
  { timeoutMs }: { readonly timeoutMs: number },
): ProviderCheck {
  return checkBy(async (isWhole) => {
    const list = new CheckList(apiKey);
    const options = { baseUrl: baseUrl ?? '', apiKey, auth, maxConcurrency: 1, maxRpm: 0 };
    const provider = new HttpProvider({ ...options, timeoutMs });
    try {
      await (isWhole ? checkSpec(provider, list) : checkChains(provider, list));
    } finally {
      await provider.close();
    }
    return list;
  });
}

/** Asks for the chains, and for the status of a quote that does not exist. */
async function checkSpec(provider: PaymentProvider, list: CheckList): Promise<void> {
  await checkChains(provider, list);
  await checkUnknown(provider, list);
  list.notTried('quote', 'it would make an order at the provider');
}

async function checkChains(provider: PaymentProvider, list: CheckList): Promise<void> {
  const asked = urlOf(provider, 'chains');
  try {
    const value = JSON.parse(await provider.readChains()) as unknown;
    const chains = isRecord(value) && Array.isArray(value['chains']) ? value['chains'] : [];
    if (chains.length > 0) list.ok('chains', `${chains.length} chains${asked}`, true);
    else list.differs('chains', `an empty list${asked}`, true);
  } catch (error) {
    const { message } = error as Error;
    list.differs('chains', error instanceof ProviderMisconfigured ? message : `${message}${asked}`, true);
  }
}

async function checkUnknown(provider: PaymentProvider, list: CheckList): Promise<void> {
  let answer: StatusAnswer | null = null;
  await provider.readStatuses([randomUUID()], (_quoteId, received) => {
    answer = received;
  });
  const asked = urlOf(provider, 'status');
  const deviation = wordsOf(answer);
  if (deviation === null) list.ok('status', `a quote that does not exist is answered with 404${asked}`, true);
  else list.differs('status', `${deviation.words}${asked}`, deviation.isEssential);
}

function urlOf(provider: PaymentProvider, asked: 'chains' | 'status'): string {
  const url = provider.urlOf(asked);
  return url === null ? '' : ` (${url})`;
}

interface Deviation {
  readonly words: string;
  readonly isEssential: boolean;
}

/** Describes how an answer differs from the expected 404; null when it does not. */
function wordsOf(answer: StatusAnswer | null): Deviation | null {
  if (answer === null) return { words: 'no answer', isEssential: true };
  if (answer.kind === 'unavailable') return { words: `not available: ${answer.reason}`, isEssential: true };
  if (answer.kind === 'credentials')
    return { words: 'the provider does not accept our key (PROVIDER_API_KEY)', isEssential: true };
  if (answer.kind === 'report')
    return { words: 'a quote that does not exist has a status all the same', isEssential: false };
  if (answer.httpStatus === 404) return null;
  return { words: `a quote that does not exist: status ${answer.httpStatus}, not 404`, isEssential: false };
}
