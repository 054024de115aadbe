import { beforeAll, describe, expect, it } from '@jest/globals';

import { ROLES } from '../../../src/domain/access/role.ts';
import { REFUSED_KEY_STATUSES } from '../../support/refused-key.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { ask, keyedPaybell, SECRETS } from './keyed-paybell.ts';

const ALL = ['shop', 'viewer', 'operator', 'admin'];
const INSPECT = ['viewer', 'operator', 'admin'];
const REPAIR = ['operator', 'admin'];

/** Contract §3: which roles may use which routes. Each operation is in exactly one row. */
const TABLE: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^post \/(api\/quote|sandbox\/payments\/\{quoteId\}\/deposit)$/, ['shop', 'admin']],
  [/^post \/api\/payments\/\{quoteId\}\/link$/, ['shop', 'admin']],
  [/^(get \/api\/(status\/\{id\}|chains)|post \/api\/currencies)$/, ALL],
  [/^get \/api\/payments(\/\{quoteId\}(\/events|\/stream)?)?$/, ALL],
  [/^get \/api\/(payment-count|orders\/\{orderId\})$/, ALL],
  [/^get \/api\/events(\/stream)?$/, ALL],
  [/^post \/api\/payments(\/\{quoteId\}\/(refresh|deposit))?$/, ['shop', 'operator', 'admin']],
  [/^get \/api\/webhook-(endpoints|deliveries|delivery-count)(\/|$)/, INSPECT],
  [/^get \/api\/(attention|providers?|figures|system|payment-progress|destinations(\/\{id\})?)$/, INSPECT],
  [/^get \/api\/unanswered-quotes$/, INSPECT],
  [/^post \/api\/webhook-deliveries\/\{id\}\/retry$/, REPAIR],
  [/^post \/api\/webhook-endpoints\/\{id\}\/(recover|test|recoveries\/\{recoveryId\}\/cancel)$/, REPAIR],
  [/^(post|delete) \/api\/payments\/\{quoteId\}\/resolve$/, REPAIR],
  [/^post \/api\/payments\/\{quoteId\}\/release$/, REPAIR],
  [/^(post|patch|delete) \/api\/webhook-endpoints(\/\{id\}(\/rotate-secret)?)?$/, ['admin']],
  [/^\w+ \/api\/(keys|sessions|audit)(\/|$)/, ['admin']],
  [/^get \/api\/whoami$/, ALL],
  [/^get \/(metrics|asyncapi\.json|schemas)/, ALL],
];
/** Without a key, and so without roles. */
const OPEN = /^(get \/(health|public)\/|post \/provider\/|\w+ \/dashboard)/;

interface Operation {
  readonly 'x-roles'?: readonly string[];
  readonly security?: readonly unknown[];
  readonly responses: Record<string, unknown>;
}

export function roleTable(): void {
  describe('the table of routes and roles', () => {
    let app: SharedService;
    let operations: readonly (readonly [string, Operation])[];

    beforeAll(async () => {
      ({ app } = await keyedPaybell());
      const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, Operation>>;
      };
      operations = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
      );
    });

    /** The status and the problem's code, from the head of the answer alone where it is a stream. */
    async function answerTo(
      name: string,
      secret: string | null,
    ): Promise<{ status: number; problem: string }> {
      const [method = '', path = ''] = name.split(' ');
      const url = path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
      const body = method === 'get' || method === 'delete' ? undefined : {};
      const answer = await ask(app, secret, method.toUpperCase(), url, body);
      const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json') === true;
      const problem = isProblem ? await answer.text() : '';
      await answer.body?.cancel().catch(() => undefined);
      return { status: answer.status, problem };
    }

    it('has each operation of the API description in one row, with the same roles', () => {
      const keyed = operations.filter(([name]) => !OPEN.test(name));
      expect(keyed.length).toBeGreaterThan(25);
      for (const [name, operation] of keyed) {
        const rows = TABLE.filter(([pattern]) => pattern.test(name));
        expect([name, rows.map(([, roles]) => roles)]).toEqual([name, [operation['x-roles']]]);
      }
      for (const [name, operation] of operations.filter(([name]) => OPEN.test(name)))
        expect([name, operation['x-roles']]).toEqual([name, undefined]);
    });

    it('says which operations answer 403', () => {
      for (const [name, { security, responses }] of operations)
        expect([name, responses['403'] !== undefined]).toEqual([name, security?.length !== 0]);
    });

    it('holds in each cell: what a role may not, and an operation without a key or with a wrong one', async () => {
      const cells = operations.filter(([, { security }]) => security?.length !== 0);
      for (const [name, { 'x-roles': allowed = [] }] of cells) {
        for (const secret of [null, 'a-key-that-nobody-has'])
          expect(REFUSED_KEY_STATUSES).toContain((await answerTo(name, secret)).status);
        for (const role of ROLES) {
          const { status, problem } = await answerTo(name, SECRETS[role]);
          const isRefused = status === 401 || status === 403;
          expect([name, role, isRefused]).toEqual([name, role, !allowed.includes(role)]);
          if (isRefused)
            expect(JSON.parse(problem)).toMatchObject({
              code: 'forbidden',
              detail: `This needs the role ${allowed.join(' or ')}. The API key "${role}" has the role ${role}.`,
            });
        }
      }
    }, 60_000);

    it('is checked before what a request asks for, and after its key and its bytes', async () => {
      const wrong = await ask(app, SECRETS.viewer, 'POST', '/api/webhook-endpoints?unknown=1', { url: 7 });
      expect(wrong.status).toBe(403);
      const unreadable = await fetch(`${app.url}/api/webhook-endpoints`, {
        method: 'POST',
        headers: { 'x-api-key': SECRETS.viewer, 'content-type': 'application/json' },
        body: 'no JSON',
      });
      expect(unreadable.status).toBe(400);
    });

    it('is said at the start, by name and role', () => {
      const line = app.lines.find((each) => each.includes('API_KEYS has'));
      expect(line).toContain('shop (shop), viewer (viewer), operator (operator), admin (admin)');
    });
  });
}
