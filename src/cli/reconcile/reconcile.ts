import type { Asked, Operation } from '../../../web/src/api/schema.d.ts';
import type { ApiClient, Schemas } from '../api/api-client.ts';
import { eventsOf } from '../api/payment-events.ts';
import type { Session } from '../api/session.ts';
import { ExitStatus } from '../output/exit-status.ts';
import { note, print } from '../output/print.ts';
import { withProgress } from '../output/progress.ts';
import { compare, type Comparison } from './compare.ts';
import { asCsv, asJson, asText } from './report.ts';

export interface ReconcileOptions {
  readonly since: string;
  readonly until?: string;
  readonly ask?: true;
  readonly all?: true;
  readonly csv?: true;
  readonly json?: true;
}

type Payment = Schemas['PaymentAnswer'];

type PageQuery = NonNullable<Asked<Operation<'/api/payments', 'get'>>['query']>;

const PAGE = 100;
const CONCURRENCY = 4;
/** How long a request waits for a place in the provider's budget. */
const PATIENCE_MS = 120_000;

export async function reconcile({ api }: Session, options: ReconcileOptions): Promise<void> {
  const { since, all, csv, json } = options;
  const comparisons = await compareAll(api, options);
  const disagreeing = comparisons.filter(({ disagreements }) => disagreements.length > 0);
  const shown = all === true ? comparisons : disagreeing;
  if (csv === true) await print(asCsv(shown));
  else if (json === true) await print(asJson(shown, since, comparisons.length));
  else if (shown.length > 0) await print(asText(shown));
  note(`${comparisons.length} payments since ${since}, of which ${disagreeing.length} disagree.`);
  process.exitCode = disagreeing.length === 0 ? ExitStatus.done : ExitStatus.failed;
}

async function compareAll(api: ApiClient, options: ReconcileOptions): Promise<Comparison[]> {
  const { data: endpoints } = await api.call('get', '/api/webhook-endpoints');
  const comparisons: Comparison[] = [];
  await withProgress('Payments', null, async (advance) => {
    for await (const payments of pagesOf(api, options)) {
      const work = payments.values();
      const page: Comparison[] = [];
      const compareNext = async (): Promise<void> => {
        for (const payment of work) {
          page.push(await compareOne(api, payment, endpoints.data, options.ask === true));
          advance();
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, compareNext));
      comparisons.push(...page);
    }
  });
  return comparisons.sort((one, other) => other.createdAt.localeCompare(one.createdAt));
}

/** Reads the progress last: it is then at least as new as the events. */
async function compareOne(
  api: ApiClient,
  listed: Payment,
  endpoints: readonly Schemas['WebhookEndpointView'][],
  asksProvider: boolean,
): Promise<Comparison> {
  const { quoteId } = listed;
  const route = '/api/payments/{quoteId}/refresh';
  const payment = asksProvider
    ? (
        await api.callPatiently(PATIENCE_MS, 'post', route, {
          path: { quoteId },
        })
      ).data
    : listed;
  const events = await eventsOf(api, quoteId, PATIENCE_MS);
  const query = { quoteId: [quoteId] };
  const progress = await api.callPatiently(PATIENCE_MS, 'get', '/api/payment-progress', { query });
  const [found] = progress.data.data;
  return compare({
    payment,
    events,
    endpoints,
    deliveries: found?.deliveries ?? [],
    exchange: found?.exchange ?? null,
    untold: found?.untold ?? [],
  });
}

async function* pagesOf(
  api: ApiClient,
  { since, until }: ReconcileOptions,
): AsyncGenerator<readonly Payment[]> {
  let cursor: string | null = null;
  do {
    const query: PageQuery = {
      createdAfter: since,
      limit: PAGE,
      ...(until === undefined ? {} : { createdBefore: until }),
      ...(cursor === null ? {} : { cursor }),
    };
    const page: { data: Schemas['PaymentsAnswer'] } = await api.callPatiently(
      PATIENCE_MS,
      'get',
      '/api/payments',
      { query },
    );
    yield page.data.data;
    cursor = page.data.nextCursor;
  } while (cursor !== null);
}
