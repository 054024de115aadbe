import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { CsvDownloads } from '../../../src/features/payments/csv-downloads.ts';
import { HandOver } from '../../../src/features/payments/hand-over.ts';
import { PaymentsController } from '../../../src/features/payments/payments.controller.ts';
import { PaymentsService } from '../../../src/features/payments/payments.service.ts';
import { reportOf } from '../../support/fakes/provider.fake.ts';
import { type Answer, FeatureApp } from '../../support/feature-app.ts';

interface Result {
  readonly quoteId: string | null;
  readonly result: string;
  readonly problem: { readonly code: string; readonly errors?: readonly { readonly field: string }[] } | null;
}

export function handOverSuite(): void {
  describe('a hand-over of many quotes', () => {
    let app: FeatureApp;
    beforeEach(async () => {
      app = await new FeatureApp().start(PaymentsController, [PaymentsService, HandOver, CsvDownloads]);
    });
    afterEach(() => app.stop());

    const handOver = (payments: unknown): Promise<Answer> => app.post('/api/payments', { payments });
    const known = (count: number): string[] =>
      Array.from({ length: count }, (_none, index) => {
        app.provider.statuses.set(`q-${index}`, reportOf(`q-${index}`));
        return `q-${index}`;
      });
    const wordsOf = ({ json }: Answer): unknown[] =>
      (json.data as Result[]).map(({ quoteId, result, problem }) =>
        [quoteId, result, ...(problem === null ? [] : [problem.errors?.[0]?.field ?? problem.code])].join(
          ' ',
        ),
      );

    it('has a result for each, in order, whatever becomes of the others, and may be repeated', async () => {
      const [first = '', second = ''] = known(2);
      app.provider.statuses.set('done', reportOf('done', 'COMPLETED'));
      await app.post('/api/payments', { quoteId: 'done', orderId: 'A-1' });
      const sent = [
        { quoteId: first, orderId: 'A-7', metadata: { shop: 'eu' } },
        { quoteId: 'done', orderId: 'A-2' },
        { quoteId: 'done', orderId: 'A-1' },
        { quoteId: 'unheard-of' },
        { quoteId: second, order_id: 'A-8' },
        { orderId: 'A-9' },
        null,
        { quoteId: second },
      ];
      const bad = ['done refused quoteId', 'unheard-of refused unknown_payment', 'q-1 refused order_id'];
      const nameless = [' refused quoteId', ' refused body'];
      const answer = await handOver(sent);
      const rest = ['done refused order_already_named', ...bad, ...nameless];
      expect([answer.status, wordsOf(answer)]).toEqual([200, ['q-0 created', ...rest, 'q-1 created']]);
      expect(wordsOf(await handOver(sent))).toEqual(['q-0 known', ...rest, 'q-1 known']);
      expect(await app.payments.find(first)).toMatchObject({ orderId: 'A-7', metadata: { shop: 'eu' } });
    });

    it('stores the quote of each as the text it came in, many in one body and none above 256 KiB', async () => {
      const quoteOf = (id: string, n: number): string =>
        `{ "quoteId":"${id}", "n":1.10, "x":"${'x'.repeat(n)}"}`;
      const ids = known(500);
      const texts = ids.map(
        (id, at) => `{"quoteId":"${id}","quote":${quoteOf(id, at === 7 ? 262_144 : 1_400)}}`,
      );
      const answer = await app.post('/api/payments', `{"payments": [${texts.join(' ,\n')}]}`);
      expect(app.payments.rows.get('q-3')?.quoteText).toBe(quoteOf('q-3', 1_400));
      expect(wordsOf(answer).filter((each) => !String(each).endsWith('created'))).toEqual([
        'q-7 refused body_too_large',
      ]);
      const alone = await app.post('/api/payments', texts[7]);
      const many = await app.post('/api/payments', `{"payments": ["${'x'.repeat(1_048_576)}"]}`);
      expect([alone, many].map(({ status, json }) => [status, json.detail])).toEqual([
        [413, 'The body is larger than 256 KiB.'],
        [413, 'The body is larger than 1024 KiB.'],
      ]);
    });

    it.each([
      [{ payments: [] }, 'payments'],
      [{ payments: Array.from({ length: 501 }, () => ({ quoteId: 'q' })) }, 'payments'],
      [{ payments: { quoteId: 'q' } }, 'payments'],
      [{ payments: [{ quoteId: 'q' }], orderId: 'A-1' }, 'orderId'],
    ])('is refused as a whole where it is none: %#', async (body, field) => {
      const { status, json } = await app.post('/api/payments', body);
      expect([status, json.errors[0].field, app.provider.calls]).toEqual([400, field, 0]);
    });

    it.each([
      [40, [40, 40, 20]],
      [1, Array.from({ length: 100 }, () => 1)],
    ])('asks for %d in a request, and at most eight requests at once', async (batchSize, requests) => {
      app.provider.limits = { ...app.provider.limits, batchSize };
      const asked: number[] = [];
      let [underWay, most] = [0, 0];
      const read = app.provider.readStatuses.bind(app.provider);
      app.provider.readStatuses = async (quoteIds, onAnswer) => {
        asked.push(quoteIds.length);
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise(setImmediate);
        await read(quoteIds, onAnswer);
        underWay -= 1;
      };
      const answer = await handOver(known(100).map((quoteId) => ({ quoteId })));
      expect(wordsOf(answer)).toEqual(known(100).map((quoteId) => `${quoteId} created`));
      expect(asked).toEqual(requests);
      expect(most).toBeLessThanOrEqual(8);
    });

    it('says of quotes that the provider was not asked about when to hand them over again', async () => {
      const busy = {
        kind: 'unavailable',
        reason: 'it answered 429',
        retryAfterMs: 7_000,
        httpStatus: 429,
      } as const;
      app.provider.statuses.set('q-1', busy);
      const { json } = await handOver([{ quoteId: 'q-1' }]);
      expect(json.data[0].problem).toMatchObject({ status: 503, retryAfterSeconds: 7 });
    });
  });
}
