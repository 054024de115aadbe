import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { REFUSED_KEY_STATUSES } from '../../support/refused-key.ts';
import { jsonOf } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { ask, keyedPaybell, SECRETS } from './keyed-paybell.ts';

type Json = Record<string, unknown>;

export function managedKeys(): void {
  describe('the API keys of a running Paybell', () => {
    let app: SharedService;

    beforeAll(async () => {
      ({ app } = await keyedPaybell());
    });

    function asAdmin(method: string, path: string, body?: unknown): Promise<Response> {
      return ask(app, SECRETS.admin, method, path, body);
    }

    async function listed(): Promise<{ text: string; keys: Json[] }> {
      const text = await (await asAdmin('GET', '/api/keys')).text();
      return { text, keys: (JSON.parse(text) as { data: Json[] }).data };
    }

    it('are made, shown once, used and revoked', async () => {
      const made = await jsonOf(await asAdmin('POST', '/api/keys', { name: 'web', role: 'viewer' }), 201);
      const key = String(made['key']);
      expect(made).toMatchObject({ name: 'web', role: 'viewer', source: 'database', lastUsedAt: null });
      expect(key).toMatch(/^pb_[\w-]{43}$/);
      expect((await ask(app, key, 'GET', '/api/payments')).status).toBe(200);
      expect((await ask(app, key, 'POST', '/api/quote', {})).status).toBe(403);
      await waitFor(async () => (await listed()).keys.at(-1)?.['lastUsedAt']);
      const { text, keys } = await listed();
      expect(text).not.toContain(key);
      expect(keys.at(-1)).toMatchObject({ name: 'web', role: 'viewer', lastUsedFrom: '127.0.0.1' });
      expect((await asAdmin('DELETE', '/api/keys/web')).status).toBe(204);
      expect(REFUSED_KEY_STATUSES).toContain((await ask(app, key, 'GET', '/api/payments')).status);
      expect((await listed()).keys.map(({ name }) => name)).not.toContain('web');
      expect(await jsonOf(await asAdmin('DELETE', '/api/keys/web'), 404)).toMatchObject({
        code: 'unknown_key',
      });
    });

    it('are listed with those of API_KEYS, which are used too and cannot be revoked here', async () => {
      const { text, keys } = await listed();
      const set = keys.filter(({ source }) => source === 'API_KEYS');
      expect(set.map(({ name, role }) => [name, role])).toEqual(
        ['shop', 'viewer', 'operator', 'admin'].map((role) => [role, role]),
      );
      for (const { createdAt, lastUsedAt } of set)
        expect([createdAt, lastUsedAt]).toEqual([null, expect.any(String)]);
      for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
      const answer = await asAdmin('DELETE', '/api/keys/shop');
      expect(await jsonOf(answer, 409)).toMatchObject({ code: 'key_in_settings' });
      expect((await ask(app, SECRETS.shop, 'GET', '/api/payments')).status).toBe(200);
    });

    it('are not made without a name and a role, or of more than these', async () => {
      for (const [body, field] of [
        [{ role: 'shop' }, 'name'],
        [{ name: 'a b', role: 'shop' }, 'name'],
        [{ name: 'x'.repeat(65), role: 'shop' }, 'name'],
        [{ name: 'web', role: 'root' }, 'role'],
        [{ name: 'web', role: 'shop', secret: 'mine' }, 'secret'],
      ] as const) {
        const problem = await jsonOf(await asAdmin('POST', '/api/keys', body), 400);
        expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ field }] });
      }
    });
  });
}
