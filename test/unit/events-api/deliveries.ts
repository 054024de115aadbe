import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { DeliveryLog, type DeliveryDetail, type LoggedDelivery } from '../../../src/ports/delivery-log.ts';
import { DeliveryCountController } from '../../../src/features/webhook-endpoints/delivery-count.controller.ts';
import { DeliveriesController } from '../../../src/features/webhook-endpoints/deliveries.controller.ts';
import { FeatureApp } from '../../support/feature-app.ts';

export function deliveriesSuite(): void {
  describe('deliveries', () => {
    const ENDPOINT = '3b241101-e2bb-4255-8caf-4136c566a962';
    const EVENT = '{ "id":"e-1", "n":123456789012345678901234567890}';
    const AT = new Date('2026-11-20T12:00:00.000Z');
    const LISTED: LoggedDelivery = {
      id: '7',
      endpointId: ENDPOINT,
      destination: { id: ENDPOINT, kind: 'webhook', name: 'shop EU' },
      quoteId: 'q-1',
      orderId: null,
      eventId: 'e-1',
      type: 'payment.created',
      sequence: 1,
      state: 'pending',
      attemptCount: 2,
      createdAt: AT,
      lastAttemptAt: AT,
      nextAttemptAt: null,
      lastFailure: 'timeout',
      lastHttpStatus: null,
      waitingFor: 'retry',
    };
    const DELIVERY: DeliveryDetail = {
      ...LISTED,
      eventText: EVENT,
      attempts: [
        {
          number: 1,
          madeAt: AT,
          durationMs: 12,
          address: '192.0.2.1:443',
          httpStatus: 500,
          failure: 'status',
          code: null,
          excerpt: 'out of stock',
        },
        {
          number: 2,
          madeAt: AT,
          durationMs: 15_000,
          address: null,
          httpStatus: null,
          failure: 'tls',
          code: 'CERT_HAS_EXPIRED',
          excerpt: null,
        },
      ],
    };
    const VIEW = { ...LISTED, createdAt: AT.toISOString(), lastAttemptAt: AT.toISOString() };
    const PATH = '/api/webhook-deliveries';

    let app: FeatureApp;
    let log: jest.Mocked<DeliveryLog>;

    beforeEach(async () => {
      log = {
        list: jest.fn<DeliveryLog['list']>().mockResolvedValue({ deliveries: [LISTED], nextCursor: 'next' }),
        find: jest.fn<DeliveryLog['find']>(async (id) => (id === '7' ? DELIVERY : null)),
        count: jest.fn<DeliveryLog['count']>().mockResolvedValue({ count: 10_000, isMore: true }),
        retry: jest.fn<DeliveryLog['retry']>(async (id) => id === '7'),
      };
      const controllers = [DeliveriesController, DeliveryCountController];
      app = await new FeatureApp().start(controllers, [{ provide: DeliveryLog, useValue: log }]);
    });
    afterEach(() => app.stop());

    describe('the count of deliveries', () => {
      it('takes the filters of their list, and no other parameter', async () => {
        const { status, json } = await app.get(
          `/api/webhook-delivery-count?orderId=A-17&state=failed&quoteId=`,
        );
        expect([status, json]).toEqual([200, { count: 10_000, isMore: true }]);
        expect(log.count.mock.calls).toEqual([[{ orderId: 'A-17', states: ['failed'] }]]);
        for (const query of ['limit=7', 'sort=oldest', 'state=open']) {
          const refused = await app.get(`/api/webhook-delivery-count?${query}`);
          expect([refused.status, refused.json.errors[0].field]).toEqual([400, query.split('=')[0]]);
        }
      });
    });

    describe('the list of deliveries', () => {
      it('has exactly the fields that are documented, 20 on a page unless asked otherwise', async () => {
        const { status, json } = await app.get(PATH);
        expect([status, json]).toEqual([200, { data: [VIEW], nextCursor: 'next' }]);
        expect(log.list.mock.calls).toEqual([[{ limit: 20 }]]);
      });

      it('takes every filter, and an empty one for none', async () => {
        await app.get(
          `${PATH}?endpointId=${ENDPOINT}&quoteId=q-1&orderId=A-17&state=failed&sort=oldest&limit=100&cursor=abc`,
        );
        await app.get(`${PATH}?endpointId=&quoteId=&orderId=&state=&sort=&limit=&cursor=`);
        await app.get(`${PATH}?state=failed&state=pending&state=failed`);
        const ids = { endpointId: ENDPOINT, quoteId: 'q-1', orderId: 'A-17' };
        expect(log.list.mock.calls.flat()).toEqual([
          { ...ids, states: ['failed'], sort: 'oldest', limit: 100, cursor: 'abc' },
          { limit: 20 },
          { states: ['pending', 'failed'], limit: 20 },
        ]);
      });

      it.each([
        ['endpointId', 'x'],
        ['endpointId', `${ENDPOINT}0`],
        ['endpointId', "'; DROP TABLE delivery"],
        ['quoteId', '-'],
        ['quoteId', 'x'.repeat(129)],
        ['orderId', 'x'.repeat(201)],
        ['state', 'PENDING'],
        ['state', 'pending,failed'],
        ['state', 'constructor'],
        ['sort', 'state'],
        ['limit', '0'],
        ['limit', '101'],
        ['limit', '-1'],
        ['limit', '1.5'],
        ['limit', '1e1'],
      ])('refuses %s=%j, naming it', async (field, value) => {
        const { status, json } = await app.get(`${PATH}?${field}=${encodeURIComponent(value)}`);
        expect([status, json.code, json.errors.map((error: { field: string }) => error.field)]).toEqual([
          400,
          'invalid_request',
          [field],
        ]);
        expect(log.list.mock.calls).toEqual([]);
      });

      it('refuses what is given twice, naming it', async () => {
        const { status, json } = await app.get(`${PATH}?quoteId=1&quoteId=2`);
        expect([status, json.errors]).toEqual([400, [{ field: 'quoteId', message: 'must be given once' }]]);
      });
    });

    describe('a delivery', () => {
      it('is returned with its event verbatim, and with its attempts and what to do about each', async () => {
        const { status, json, text } = await app.get(`${PATH}/7`);
        expect(status).toBe(200);
        const at = '2026-11-20T12:00:00.000Z';
        const [first, second] = DELIVERY.attempts;
        const { madeAt: _1, excerpt: _2, ...one } = { ...first };
        const { madeAt: _3, excerpt: _4, ...two } = { ...second };
        expect(json).toEqual({
          ...VIEW,
          event: expect.anything(),
          attempts: [
            { ...one, at, advice: expect.stringMatching(/^Look into the log/), body: 'out of stock' },
            { ...two, at, advice: expect.stringMatching(/expired: renew it/), body: null },
          ],
        });
        expect(text).toContain(`"event":${EVENT}`);
      });

      it('is tried again when that is asked for, and returned as it is then', async () => {
        const { status, json } = await app.post(`${PATH}/7/retry`, '');
        expect([status, json.id, json.attempts.length]).toEqual([200, '7', 2]);
        expect(log.retry.mock.calls).toEqual([['7']]);
      });

      it.each(['8', '0', '07', '-7', '7.0', '7e0', 'x', '%20', '9'.repeat(19)])(
        'is unknown by %p: 404, and nothing is tried',
        async (id) => {
          for (const answer of [await app.get(`${PATH}/${id}`), await app.post(`${PATH}/${id}/retry`, '')])
            expect([answer.status, answer.json.code]).toEqual([404, 'unknown_webhook_delivery']);
          expect(log.retry.mock.calls.flat().filter((tried) => tried !== '8')).toEqual([]);
        },
      );
    });
  });
}
