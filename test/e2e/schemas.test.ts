import { beforeAll, expect, it } from '@jest/globals';
import { HTTP } from 'cloudevents';

import { rabbitmqDescriptor } from '../../src/destinations/rabbitmq/rabbitmq-descriptor.ts';
import { WEBHOOK } from '../../src/destinations/webhook/webhook-descriptor.ts';
import { asyncApiOf } from '../../src/features/events/asyncapi.ts';
import { VERSION } from '../../src/platform/version.ts';
import type { SharedService } from '../support/shared-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { type SchemaCheck, schemaCheck } from '../support/schema-check.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { Subscriber } from '../support/subscriber.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** The state that a story shows lasts 15 s, at this speed 750 ms, the time of three polls. */
const SANDBOX = {
  PROVIDER: 'sandbox',
  SANDBOX_SPEED: '20',
  POLL_INTERVAL_MS: '250',
  POLL_MIN_GAP_MS: '200',
};
const CONTENT_TYPE = 'application/cloudevents+json';

describeWithBroker('the descriptions of events', () => {
  let stage: Stage;
  let app: SharedService;
  let subscriber: Subscriber;
  let listed: { type: string; schema: string }[];
  let check: SchemaCheck;

  const read = async (path: string): Promise<Record<string, unknown>> =>
    jsonOf(await fetch(`${app.url}${path}`), 200);

  beforeAll(async () => {
    stage = await Stage.open();
    subscriber = await Subscriber.open(brokerUrl(), stage.exchange);
    app = await stage.startWarm({ ...SANDBOX, RABBITMQ_URL: brokerUrl(), EVENT_SOURCE: 'shop/eu' });
    listed = (await read('/schemas'))['data'] as typeof listed;
    check = schemaCheck(await Promise.all(listed.map(({ schema }) => read(schema))));
  });

  it('are served without a key, and a schema that is not there is a problem', async () => {
    expect(listed).toHaveLength(13);
    for (const { type, schema } of listed)
      expect(await read(schema)).toMatchObject({ title: type, $id: `urn:paybell:schema:${type}` });
    const unknown = await fetch(`${app.url}/schemas/payment.refunded.json`);
    expect(await jsonOf(unknown, 404)).toMatchObject({ code: 'not_found' });
    const { paths } = (await read('/openapi.json')) as { paths: Record<string, { get: object }> };
    for (const path of ['/asyncapi.json', '/schemas', '/schemas/{file}'])
      expect(paths[path]?.get).toMatchObject({ security: [] });
  });

  it('have the AsyncAPI document that test/unit/event-schemas.test.ts has the official parser read, with the exchange of this Paybell', async () => {
    const { exchange } = stage;
    const rabbitmq = rabbitmqDescriptor({ exchange, trackQueue: null, isEnabled: true });
    const document = JSON.stringify(asyncApiOf(VERSION, [WEBHOOK, rabbitmq]));
    expect(await read('/asyncapi.json')).toEqual(JSON.parse(document));
    expect(document).toContain(exchange);
  });

  it('fit every event that the stories of the sandbox send, as webhook and as message', async () => {
    const secret = await stage.addShop(app);
    expect(secret).toMatch(/^whsec_/);
    const endings = ['00', '01', '02', '03', '05', '06', '07'];
    const ids = await Promise.all(endings.map((digits) => stage.quote(app, { amount: `1.${digits}` })));
    const isEnded = async (id: string): Promise<boolean> =>
      ['COMPLETED', 'FAILED', 'EXPIRED'].includes(
        String((await jsonOf(await app.fetch(`/api/payments/${id}`), 200))['status']),
      );
    await waitFor(async () => (await Promise.all(ids.map(isEnded))).every(Boolean));
    const endpoints = await jsonOf(await app.fetch('/api/webhook-endpoints'), 200);
    const [endpoint] = endpoints['data'] as { id: string }[];
    await app.fetch(`/api/webhook-endpoints/${endpoint?.id}/test`, { method: 'POST' });
    const published = async (): Promise<number> =>
      (await Promise.all(ids.map((id) => stage.eventsOf(app, id)))).flat().length;
    await waitFor(async () => (await published()) + 1 === stage.shop.requests.length);
    await waitFor(async () => (await published()) === subscriber.messages.length);

    const bodies = stage.shop.requests.map(({ text }) => text);
    for (const body of bodies) {
      expect([body, check(body)]).toEqual([body, null]);
      const event = HTTP.toEvent({ headers: { 'content-type': CONTENT_TYPE }, body });
      expect(event).toMatchObject({ source: 'shop/eu', specversion: '1.0' });
    }
    for (const { content, properties } of subscriber.messages) {
      expect(properties.contentType).toBe(CONTENT_TYPE);
      expect(bodies).toContain(content.toString('utf8'));
    }
    const types = new Set(bodies.map((body) => (JSON.parse(body) as { type: string }).type));
    for (const type of ['created', 'completed', 'failed', 'expired', 'anomaly'])
      expect(types).toContain(`payment.${type}`);
    expect(types).toContain('webhook.test');
  });
});
