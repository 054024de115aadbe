import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { jsonOf } from '../../support/stage.ts';
import { ask, keyedPaybell, SECRETS } from './keyed-paybell.ts';

export function managedKeys(): void {
  describe('the API keys of a running Paybell', () => {
    let app: SharedService;

    beforeAll(async () => {
      ({ app } = await keyedPaybell());
    });

    function asAdmin(method: string, path: string, body?: unknown): Promise<Response> {
      return ask(app, SECRETS.admin, method, path, body);
    }

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
