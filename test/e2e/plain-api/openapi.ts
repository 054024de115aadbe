import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';

import type { SharedService } from '../../support/shared-process.ts';
import type { Stage } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { plainPaybell } from './plain-paybell.ts';

type Json = Record<string, unknown>;

interface Operation {
  readonly parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  readonly requestBody?: { content: Record<string, { schema: Json }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
  readonly security?: Json[];
}

/** Clients of the specification may send further fields on these paths. */
const SPEC_PATHS = new Set(['/api/quote', '/api/status/{id}', '/api/chains', '/api/currencies']);

export function openapi(): void {
  describe('the API description', () => {
    let stage: Stage;
    let app: SharedService;
    let document: Json;
    let paths: Record<string, Record<string, Operation>>;
    let schemas: Record<string, Json>;

    beforeAll(async () => {
      ({ stage, app } = await plainPaybell());
      document = (await (await fetch(`${app.url}/openapi.json`)).json()) as Json;
      paths = document['paths'] as typeof paths;
      schemas = (document['components'] as { schemas: typeof schemas }).schemas;
    });

    function refsIn(value: unknown): string[] {
      if (typeof value !== 'object' || value === null) return [];
      return Object.entries(value).flatMap(([key, part]) => (key === '$ref' ? [String(part)] : refsIn(part)));
    }

    /** The names of an object's fields, including those of its `data`, and the required ones. */
    function fieldsOf(schema: Json = {}): unknown {
      const properties = (schema['properties'] ?? {}) as Record<string, Json>;
      const data = properties['data'] === undefined ? {} : { data: fieldsOf(properties['data']) };
      return { names: Object.keys(properties), required: schema['required'], ...data };
    }

    describe('/openapi.json', () => {
      it('is OpenAPI 3 with a title, a version and both ways of sending the key', () => {
        expect(document).toMatchObject({
          openapi: expect.stringMatching(/^3\.[01]\.\d$/),
          info: { title: 'Paybell', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
          components: {
            securitySchemes: { 'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' } },
          },
        });
        const ways = Object.values(
          (document['components'] as { securitySchemes: Record<string, Json> }).securitySchemes,
        );
        expect(ways).toContainEqual(expect.objectContaining({ type: 'http', scheme: 'bearer' }));
      });

      /** All routes below /api; dashboard-build.test.ts compares web/src/api/schema.d.ts with the document. */
      const routes = (): (readonly [method: string, path: string, operation: Operation])[] =>
        Object.entries(paths).flatMap(([path, operations]) =>
          path.startsWith('/api/')
            ? Object.entries(operations).map(([method, one]) => [method, path, one] as const)
            : [],
        );

      it('describes each route with its schemas and its key', () => {
        expect(routes().length).toBeGreaterThan(45);
        for (const [, path, operation] of routes()) expectDescribed(path, operation);
      });

      function expectDescribed(path: string, operation: Operation): void {
        const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
        expect([path, successes]).not.toEqual([path, []]);
        for (const [status, { content = {} }] of successes)
          if (path.endsWith('/stream')) expect(Object.keys(content)).toEqual(['text/event-stream']);
          else if (status !== '204') expect(refsIn(content['application/json'])).not.toEqual([]);
        expect(refsIn(operation.responses['default']?.content?.['application/problem+json'])).not.toEqual([]);
        if (operation.requestBody !== undefined)
          expect(refsIn(operation.requestBody.content['application/json'])).not.toEqual([]);
        const security = operation.security ?? (document['security'] as Json[]);
        expect(security.flatMap(Object.keys).sort()).toEqual(['bearer', 'x-api-key']);
        const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        const inPath = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
        expect(inPath.map(({ name, required }) => [name, required])).toEqual(
          named.map((name) => [name, true]),
        );
      }

      it('names for each route exactly the parameters of the query that it takes', async () => {
        for (const [method, path, { parameters = [] }] of routes()) {
          const url = `${path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')}?limlt=3&orderid=A-17`;
          const described = parameters.filter((parameter) => parameter.in === 'query');
          const answer = await app.fetch(url, { method: method.toUpperCase() });
          const { errors = [] } = (await answer.json()) as { errors?: { field: string; message: string }[] };
          const unknown = errors.filter(({ message }) => message.startsWith('is not a parameter here'));
          const names = described.map(({ name }) => name).join(', ');
          const message = `is not a parameter here${names === '' ? ': there are none' : `; those are: ${names}`}`;
          const refused = SPEC_PATHS.has(path) ? [] : [{ field: 'limlt' }, { field: 'orderid' }];
          const expected = refused.map(({ field }) => ({ field, message }));
          expect([path, unknown]).toEqual([path, expected]);
          if (refused.length > 0) expect(answer.status).toBe(400);
        }
      });

      it('refers to nothing that is not there, and its schemas are schemas with fields', () => {
        const refs = new Set(refsIn(document));
        expect(
          [...refs].filter((ref) => schemas[ref.replace('#/components/schemas/', '')] === undefined),
        ).toEqual([]);
        const ajv = new Ajv({ strict: false, validateFormats: false });
        ajv.addSchema({ $id: 'paybell', components: { schemas } });
        for (const [name, schema] of Object.entries(schemas)) {
          expect([name, Object.keys((schema['properties'] ?? {}) as Json).length]).not.toEqual([name, 0]);
          expect(() => ajv.compile({ $ref: `paybell#/components/schemas/${name}` })).not.toThrow();
        }
      });

      it('describes the answers that are really given', async () => {
        const ajv = new Ajv({ strict: false, validateFormats: false });
        ajv.addSchema({ $id: 'paybell', components: { schemas } });
        const body = { url: `${stage.shop.url}/described` };
        const { id } = (await (
          await app.fetch('/api/webhook-endpoints', { method: 'POST', body })
        ).json()) as {
          id: string;
        };
        const quoteId = await stage.quote(app);
        for (const path of [
          '/api/chains',
          '/api/payments',
          '/api/events',
          '/api/webhook-endpoints',
          '/api/webhook-deliveries',
          '/api/webhook-delivery-count?state=pending',
          '/api/keys',
          '/api/audit',
          '/api/attention',
          '/api/destinations',
          '/api/provider',
          '/api/providers',
          '/api/figures',
          '/api/system',
          '/api/payment-count?status=FAILED&status=EXPIRED',
          '/api/payment-progress?quoteId=unknown-id',
          `/api/payment-progress?quoteId=${quoteId}`,
          '/api/payments/unknown-id',
          '/health/live',
          '/health/ready',
        ]) {
          const answer = await app.fetch(path);
          const operation = paths[path.replace(/\?.*/, '').replace('unknown-id', '{quoteId}')]?.['get'];
          const described = operation?.responses[String(answer.status)] ?? operation?.responses['default'];
          const [schema] = Object.values(described?.content ?? {});
          const ref = refsIn(schema)[0]?.replace('#', 'paybell#') ?? '';
          const isRight = ajv.compile({ $ref: ref });
          expect([path, isRight(await answer.json()), isRight.errors]).toEqual([path, true, null]);
        }
        await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
      });
    });

    describe('an event', () => {
      const EVENT_PATHS = ['/api/events', '/api/payments/{quoteId}/events'];
      let quoteId: string;
      beforeAll(async () => {
        quoteId = await stage.quote(app);
        stage.say([quoteId], 'COMPLETED');
        // An event is in the log once all transactions that began before its own have ended, in any database of the server.
        for (const path of EVENT_PATHS) await waitFor(async () => (await eventsAt(path)).data.length === 2);
      });

      async function eventsAt(path: string): Promise<{ data: Json[] }> {
        // The log also has the events of all other payments of this Paybell.
        const ours =
          path === '/api/events' ? `${path}?quoteId=${quoteId}` : path.replace('{quoteId}', quoteId);
        const answer = await app.fetch(ours);
        return (await answer.json()) as { data: Json[] };
      }

      function checker(): Ajv {
        const ajv = new Ajv({ strict: false, validateFormats: false });
        return ajv.addSchema({ $id: 'paybell', components: { schemas } });
      }

      it.each(EVENT_PATHS)(
        'is described in the answer of %s type by type, by the fields of /schemas',
        async (path) => {
          const answer = paths[path]?.['get']?.responses['200']?.content?.['application/json']?.schema;
          const name = refsIn(answer)[0]?.replace('#/components/schemas/', '') ?? '';
          const { items } = (schemas[name] as { properties: { data: { items: Json } } }).properties.data;
          const { data: types } = (await (await fetch(`${app.url}/schemas`)).json()) as {
            data: { type: string }[];
          };
          const published = types.map(({ type }) => type).filter((type) => type.startsWith('payment.'));
          expect(published).toHaveLength(10);
          expect(items['oneOf']).toEqual(published.map((type) => ({ $ref: `#/components/schemas/${type}` })));
          expect(Object.keys((items['discriminator'] as { mapping: Json }).mapping)).toEqual(published);
          for (const type of published) {
            const schema = (await (await fetch(`${app.url}/schemas/${type}.json`)).json()) as Json;
            expect(fieldsOf(schemas[type])).toEqual(fieldsOf(schema));
            expect(JSON.stringify(schemas[type])).not.toMatch(/"const"|"type":(\[|"null")/);
          }
        },
      );

      it.each(EVENT_PATHS)('that %s really answers is of exactly one of these types', async (path) => {
        const body = await eventsAt(path);
        expect(body.data.map(({ type }) => type)).toEqual(['payment.created', 'payment.completed']);
        const [ref = ''] = refsIn(
          paths[path]?.['get']?.responses['200']?.content?.['application/json']?.schema,
        );
        const isRight = checker().compile({ $ref: ref.replace('#', 'paybell#') });
        expect([isRight(body), isRight.errors]).toEqual([true, null]);
        const [created, completed] = body.data as [Json, Json];
        const wrong = [
          { ...completed, type: 'payment.refunded' },
          { ...completed, data: { ...(completed['data'] as Json), sequence: '2' } },
          { ...completed, data: { ...(completed['data'] as Json), payment: null } },
          { ...created, data: { ...(created['data'] as Json), previousStatus: 'EXECUTING' } },
          { ...created, subject: undefined },
        ];
        for (const event of wrong)
          expect([event, isRight({ ...body, data: [event] })]).toEqual([event, false]);
      });
    });

    describe('/docs', () => {
      it('serves Swagger UI and its scripts without a key', async () => {
        const page = await fetch(`${app.url}/docs`);
        expect([page.status, page.headers.get('content-type')]).toEqual([
          200,
          expect.stringContaining('text/html'),
        ]);
        const html = await page.text();
        const script = /src="([^"]*swagger-ui-bundle\.js)"/.exec(html)?.[1] ?? '';
        expect((await fetch(new URL(script, page.url))).status).toBe(200);
      });
    });
  });
}
