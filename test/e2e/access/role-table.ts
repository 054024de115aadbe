import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { ROLES } from '../../../src/domain/access/role.ts';
import { REFUSED_KEY_STATUSES } from '../../support/refused-key.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { ask, keyedPaybell, SECRETS } from './keyed-paybell.ts';

/** The table of docs/running/access.md; a `*` stands for the rest of a path. */
const TABLE = readFileSync('docs/running/access.md', 'utf8')
  .split('\n')
  .filter((line) => /^\|.*(?:\| (?:yes|no) +){4}\|$/.test(line))
  .map((line) => ({ cells: line.split('|').slice(2, -1), patterns: patternsOf(line) }))
  .map(({ cells, patterns }) => ({
    patterns,
    roles: ['shop', 'viewer', 'operator', 'admin'].filter((_role, column) => cells[column]?.trim() === 'yes'),
  }));
/** Routes that need no key, and so have no roles. */
const OPEN = /^(get \/(health|public)\/|post \/provider\/|\w+ \/dashboard)/;

function patternsOf(line: string): RegExp[] {
  return [...line.matchAll(/`([A-Z]+(?:, [A-Z]+)*) (\/[^`]+)`/g)].map(([, methods = '', path = '']) => {
    const paths = path.replace(/[.{}]/g, String.raw`\$&`).replace('*', '.*');
    return new RegExp(`^(?:${methods.toLowerCase().replaceAll(', ', '|')}) ${paths}$`);
  });
}

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

    /** The status and the problem's code; of a stream, only the head of the answer is read. */
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

    it('of the docs has each operation of the API description in one row, with the same roles', () => {
      const keyed = operations.filter(([name]) => !OPEN.test(name));
      expect(keyed.length).toBeGreaterThan(25);
      for (const [name, operation] of keyed) {
        const rows = TABLE.filter(({ patterns }) => patterns.some((pattern) => pattern.test(name)));
        expect([name, rows.map(({ roles }) => roles)]).toEqual([name, [operation['x-roles']]]);
      }
      const unused = TABLE.flatMap(({ patterns }) => patterns).filter(
        (pattern) => !keyed.some(([name]) => pattern.test(name)),
      );
      expect(unused).toEqual([]);
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
    });

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
