import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { jsonOf } from '../../support/stage.ts';
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

    it.each<[Json, string]>([
      [{ name: 'web' }, 'role'],
      [{ role: 'shop' }, 'name'],
      [{ name: 'a b', role: 'shop' }, 'name'],
      [{ name: 'x'.repeat(65), role: 'shop' }, 'name'],
      [{ name: 'web', role: 'root' }, 'role'],
      [{ name: 'web', role: 'shop', secret: 'mine' }, 'secret'],
    ])('are not made of %j', async (body, field) => {
      const problem = await jsonOf(await asAdmin('POST', '/api/keys', body), 400);
      expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ field }] });
    });
  });
}
