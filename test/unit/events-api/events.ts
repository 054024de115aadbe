import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { EventsController } from '../../../src/features/events/events.controller.ts';
import { FeatureApp } from '../../support/feature-app.ts';

export function eventsSuite(): void {
  describe('events', () => {
    let app: FeatureApp;

    beforeEach(async () => {
      app = await new FeatureApp().start(EventsController, []);
    });
    afterEach(() => app.stop());

    function fill(count: number): string[] {
      return Array.from({ length: count }, (_none, index) => {
        const type = index % 3 === 2 ? 'payment.completed' : 'payment.created';
        return app.eventLog.append(type, `q-${index % 2}`).id;
      });
    }

    async function idsAt(path: string): Promise<string[]> {
      const answer = await app.get(path);
      expect(answer.status).toBe(200);
      return answer.json.data.map((event: { id: string }) => event.id);
    }

    describe('GET /api/events', () => {
      it('is read page by page to the end, and goes on from there with the same cursor', async () => {
        const ids = fill(25);
        const read: string[] = [];
        let cursor = '';
        for (;;) {
          const { json } = await app.get(`/api/events?limit=10&after=${cursor}`);
          expect(json.nextCursor).toEqual(expect.any(String));
          read.push(...json.data.map((event: { id: string }) => event.id));
          cursor = json.nextCursor;
          if (json.data.length === 0) break;
        }
        expect(read).toEqual(ids);
        const { json } = await app.get(`/api/events?after=${cursor}`);
        expect(json).toEqual({ data: [], nextCursor: cursor });
        const { id } = app.eventLog.append('payment.failed');
        expect(await idsAt(`/api/events?after=${cursor}`)).toEqual([id]);
      });

      it('has a cursor for an empty log too', async () => {
        const { json } = await app.get('/api/events');
        expect(json.data).toEqual([]);
        const [id] = fill(1);
        expect(await idsAt(`/api/events?after=${json.nextCursor}`)).toEqual([id]);
      });

      it('goes on after an event by its id, as a consumer has it that comes from elsewhere', async () => {
        const ids = fill(5);
        expect(await idsAt(`/api/events?after=${ids[2]}`)).toEqual(ids.slice(3));
      });

      it('returns every event as its very bytes', async () => {
        app.eventLog.append('payment.created', 'q-1', ',"amount":1.10,  "big":12345678901234567890');
        const answer = await app.get('/api/events');
        expect(answer.text).toContain(`{"data":[${app.eventLog.events[0]?.body}],"nextCursor":"`);
      });

      it('is filtered by types, one or several, repeated or with commas', async () => {
        fill(9);
        const of = (...types: string[]): string[] =>
          app.eventLog.events.filter(({ type }) => types.includes(type)).map(({ id }) => id);
        expect(await idsAt('/api/events?type=payment.completed')).toEqual(of('payment.completed'));
        const both = of('payment.completed', 'payment.created');
        expect(await idsAt('/api/events?type=payment.completed&type=payment.created')).toEqual(both);
        expect(await idsAt('/api/events?type=payment.completed,payment.created')).toEqual(both);
        expect(await idsAt('/api/events?type=')).toEqual(both);
        expect(app.eventLog.reads.map(({ filter }) => filter.types)).toEqual([
          ['payment.completed'],
          ['payment.completed', 'payment.created'],
          ['payment.completed', 'payment.created'],
          [],
        ]);
      });

      it('is filtered by quote and by order', async () => {
        const ids = fill(4);
        expect(await idsAt('/api/events?quoteId=q-1')).toEqual([ids[1], ids[3]]);
        app.eventLog.orderIds.set('q-0', 'A 0');
        expect(await idsAt('/api/events?orderId=A%200&limit=1')).toEqual([ids[0]]);
      });

      it('reads 100 events at once unless asked otherwise, and at most 1000', async () => {
        await app.get('/api/events');
        await app.get('/api/events?limit=1000');
        expect(app.eventLog.reads.map(({ limit }) => limit)).toEqual([100, 1_000]);
      });

      it.each([
        ['limit=0', 'limit'],
        ['limit=1001', 'limit'],
        ['limit=ten', 'limit'],
        ['limit=1&limit=2', 'limit'],
        ['type=payment.vanished', 'type'],
        ['type=payment.created,webhook.test', 'type'],
        ['after=1-1&after=2-2', 'after'],
        ['quoteId=%20', 'quoteId'],
        [`orderId=${'x'.repeat(201)}`, 'orderId'],
      ])('refuses ?%s and names the parameter', async (query, field) => {
        fill(1);
        const answer = await app.get(`/api/events?${query}`);
        expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
        expect(answer.json.errors).toEqual([{ field, message: expect.stringMatching(/^must be /) }]);
      });

      it.each([
        'nonsense',
        '1-',
        '00000000-0000-4000-8000-000000000000',
        `${'1'.repeat(19)}-1`,
        'x'.repeat(501),
      ])('has made no cursor %s', async (after) => {
        fill(1);
        const { status, json } = await app.get(`/api/events?after=${after}`);
        expect([status, json.code]).toEqual([400, 'invalid_cursor']);
        expect(json.errors).toEqual([{ field: 'after', message: expect.stringMatching(/^must be /) }]);
      });
    });
  });
}
