import { isQuoteId } from '../../domain/payment/reading.ts';
import { readReport } from '../../domain/payment/report.ts';
import type { OnAnswer, StatusAnswer } from '../../ports/payment-provider.ts';
import { unavailable } from '../connection/read-response.ts';

export const UNKNOWN_ID: StatusAnswer = {
  kind: 'refused',
  httpStatus: 404,
  message: 'There is no such quote.',
};

/** Answers each id once: `read` asks about one stored quote. */
export async function readEach<Quote>(
  store: { find(quoteIds: readonly string[]): Promise<Map<string, Quote>> },
  quoteIds: readonly string[],
  onAnswer: OnAnswer,
  read: (quote: Quote) => Promise<StatusAnswer>,
): Promise<void> {
  const ids = [...new Set(quoteIds)];
  const quotes = await store.find(ids.filter(isQuoteId)).catch((error: Error) => error);
  await Promise.all(
    ids.map(async (quoteId) => {
      const quote = quotes instanceof Error ? undefined : quotes.get(quoteId);
      const none = quotes instanceof Error ? unread(quotes) : UNKNOWN_ID;
      onAnswer(quoteId, quote === undefined ? none : await read(quote).catch(unreadable));
    }),
  );
}

/** When reading one payment fails, the others are still read. */
function unreadable({ message }: Error): StatusAnswer {
  return unavailable(`its answer could not be read: ${message}`, null);
}

function unread({ message }: Error): StatusAnswer {
  return unavailable(`its quotes could not be read: ${message}`, null);
}

/** Stores the seen facts first, before a report relies on them: the next report must not withdraw them. */
export async function reportSeen<Quote extends { readonly seen?: object }>(
  store: { replace(quote: Quote): Promise<void> },
  quote: Quote,
  { text, seen }: { readonly text: string; readonly seen: object },
): Promise<StatusAnswer> {
  try {
    if (JSON.stringify(seen) !== JSON.stringify(quote.seen)) await store.replace({ ...quote, seen });
  } catch (error) {
    return unavailable(`its quote could not be written: ${(error as Error).message}`, null);
  }
  return reportAnswer(text);
}

/** The answer that holds this report, given as JSON text. */
export function reportAnswer(text: string): StatusAnswer {
  const report = readReport(JSON.parse(text), text);
  return report === null ? unavailable('unreadable answer', 200) : { kind: 'report', report };
}
