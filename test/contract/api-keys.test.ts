import { Controller, Get, Post, Req } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ACCESS, Allow } from '../../src/platform/http/access.ts';
import type { KeyedRequest } from '../../src/platform/http/keyed-request.ts';
import { Open } from '../../src/platform/http/open-route.ts';
import { ENV_KEY, ShellApp, STORED_KEY } from '../support/shell-app.ts';

@Allow(ACCESS.read)
@Controller()
class WhoController {
  @Get('api/who')
  who(@Req() request: KeyedRequest): object {
    return { name: request.apiKeyName };
  }
  @Allow(ACCESS.repair)
  @Post('api/repair')
  repair(@Req() { role, via }: KeyedRequest): object {
    return { role, via };
  }
  @Allow(ACCESS.manage)
  @Get('api/manage')
  manage(): object {
    return {};
  }
  @Post('sandbox/payments/:id/deposit')
  deposit(): object {
    return {};
  }
  @Get('not-under-api')
  elsewhere(): object {
    return {};
  }
  @Allow([])
  @Get('api/of-nobody')
  nobody(): object {
    return {};
  }
  @Open()
  @Get('health/open')
  open(): object {
    return { open: true };
  }
}

@Controller()
class ForgottenController {
  @Get('api/forgotten')
  forgotten(): object {
    return {};
  }
}

let shell: ShellApp;

beforeAll(async () => {
  shell = await ShellApp.start([WhoController, ForgottenController]);
});

afterAll(async () => {
  await shell.stop();
});

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${shell.url}${path}`, { headers });
}

function deposit(headers: Record<string, string>): Promise<Response> {
  return fetch(`${shell.url}/sandbox/payments/x/deposit`, { method: 'POST', headers });
}

describe('a key', () => {
  it.each([
    [{ 'x-api-key': ENV_KEY }, 'shop'],
    [{ authorization: `Bearer ${ENV_KEY}` }, 'shop'],
    [{ authorization: `bearer   ${ENV_KEY}` }, 'shop'],
    [{ 'x-api-key': STORED_KEY }, 'ops'],
    [{ authorization: `Bearer ${STORED_KEY}` }, 'ops'],
  ])('that is known passes and gives the request its name: %j', async (headers, name) => {
    expect(await (await get('/api/who', headers)).json()).toEqual({ name });
  });

  it.each<[Record<string, string>]>([
    [{}],
    [{ 'x-api-key': '' }],
    [{ 'x-api-key': 'wrong' }],
    [{ 'x-api-key': `${ENV_KEY}x` }],
    [{ 'x-api-key': `${ENV_KEY}, ${ENV_KEY}` }],
    [{ authorization: 'Bearer' }],
    [{ authorization: 'Bearer wrong' }],
    [{ authorization: `Basic ${Buffer.from(`x:${ENV_KEY}`).toString('base64')}` }],
    [{ authorization: ENV_KEY }],
    [{ 'x-api-key': 'x'.repeat(8_000) }],
  ])('that is missing or wrong is a 401 that says how to send it: %#', async (headers) => {
    const answer = await get('/api/who', headers);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="paybell"');
    const body = (await answer.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ status: 401, success: false, code: 'unauthorized' });
    expect(body['detail']).toContain('x-api-key: KEY');
    expect(JSON.stringify(body)).not.toContain('a-key-of');
  });

  it.each(['/api/who', '/API/who', '/api/who/', '/Api/WHO?x=/health', '/not-under-api'])(
    'is needed however the path is written: %s',
    async (path) => {
      expect((await get(path)).status).toBe(401);
    },
  );

  it('is needed for the sandbox too', async () => {
    expect((await deposit({})).status).toBe(401);
    expect((await deposit({ 'x-api-key': ENV_KEY })).status).toBe(201);
  });

  it('is not needed for what is marked open', async () => {
    expect(await (await get('/health/open')).json()).toEqual({ open: true });
  });

  it('passes where its role is one of those that a route allows', async () => {
    const answer = await shell.post('/api/repair', '{}', { 'x-api-key': STORED_KEY });
    expect([answer.status, await answer.json()]).toEqual([201, { role: 'operator', via: 'api' }]);
    expect((await get('/api/manage', { 'x-api-key': ENV_KEY })).status).toBe(200);
  });

  it('with too little a role is a 403 that names the roles needed and its own, logged with its name', async () => {
    const answer = await get('/api/manage', { 'x-api-key': STORED_KEY, 'x-request-id': 'refused-one' });
    expect(await answer.json()).toMatchObject({
      status: 403,
      code: 'forbidden',
      detail: 'This needs the role admin. The API key "ops" has the role operator.',
    });
    const line = shell.logged.find(({ requestId }) => requestId === 'refused-one');
    expect(line).toMatchObject({ status: 403, code: 'forbidden', keyName: 'ops', role: 'operator' });
  });

  it.each(['/api/forgotten', '/api/of-nobody'])('passes nowhere without a role: %s', async (path) => {
    const answer = await get(path, { 'x-api-key': ENV_KEY });
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'forbidden' }]);
  });
});
