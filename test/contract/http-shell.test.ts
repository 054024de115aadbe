import { connect } from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';

import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  Res,
  Sse,
  StreamableFile,
} from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsInt, IsObject, IsOptional, IsString, Max, MaxLength } from 'class-validator';
import type { Response as Answer } from 'express';
import { of } from 'rxjs';

import { ACCESS, Allow } from '../../src/platform/http/access.ts';
import { BodyFields } from '../../src/platform/http/body-fields.ts';
import { JsonText } from '../../src/platform/http/json-text.ts';
import { Open } from '../../src/platform/http/open-route.ts';
import { ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { REFUSED_KEY, REFUSED_KEY_STATUSES } from '../support/refused-key.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { RawConnection } from '../support/raw-connection.ts';
import { ENV_KEY, ShellApp, STORED_KEY } from '../support/shell-app.ts';

const VERBATIM = '{"success":true, "amount":123456789012345678901234567890.10,"2":"b","1":"a"}';
const SECRET = 'SELECT secret FROM api_key';

class OrderBody {
  @IsString()
  @MaxLength(20)
  orderId!: string;
  @IsInt()
  count!: number;
  @IsOptional()
  @IsObject()
  metadata?: Record<string, unknown>;
}

class PageQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Max(100)
  limit?: number;
  @IsOptional()
  @IsString()
  orderId?: string;
}

@Allow(ACCESS.read)
@Controller('api/orders')
class OrdersController {
  @Post()
  create(@BodyFields(OrderBody) body: OrderBody): object {
    return { body };
  }
  @Post('unchecked')
  unchecked(@Body() body: OrderBody): object {
    return { body };
  }
  @Get()
  list(@Query() query: PageQuery): object {
    return { limit: query.limit ?? null, type: typeof query.limit };
  }
  @Get('verbatim')
  verbatim(): JsonText {
    return new JsonText(VERBATIM);
  }
  @Get('within')
  within(): object {
    return { list: [new JsonText(VERBATIM)], at: new Date(0), nothing: null };
  }
  @Get('null')
  nothing(): null {
    return null;
  }
  @Post('gone')
  @HttpCode(204)
  gone(): void {}
  @Get('file')
  @Header('content-type', 'text/csv')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('a,b'));
  }
  @Sse('stream')
  stream(): unknown {
    return of({ id: '1', type: 'payment.created', data: { sequence: 1 } });
  }
  @Get('broken')
  broken(): never {
    throw Object.assign(new Error(SECRET), { code: '42P01', query: SECRET });
  }
  @Get('half')
  half(@Res() response: Answer): never {
    response.status(200).write('{"half":');
    throw new Error('too late');
  }
  @Get('busy')
  busy(@Res({ passthrough: true }) response: Answer): never {
    response.set('etag', '"old"').set('last-modified', new Date(0).toUTCString());
    throw new ProviderUnavailable('HTTP 503 from the provider', 7_000);
  }
  @Get('by-id/:id')
  byId(@Param('id') id: string): object {
    return { id };
  }
}

@Open()
@Controller('pages')
class PagesController {
  @Get('{*path}')
  page(): object {
    return {};
  }
}

let shell: ShellApp;

beforeAll(async () => {
  shell = await ShellApp.start([OrdersController, PagesController]);
});

afterAll(async () => {
  await shell.stop();
});

async function problem(answer: globalThis.Response): Promise<Record<string, unknown>> {
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const body = (await answer.json()) as Record<string, unknown>;
  expect(body).toMatchObject({ success: false, status: answer.status, error: body['detail'] });
  expect(body['requestId']).toBe(answer.headers.get('x-request-id'));
  return body;
}

describe('a body that is refused', () => {
  it.each([
    ['{"orderId": "A-1",\n  "count": SECRETVALUE}', 'near line 2, column 12'],
    ['{"orderId": "A-1"', 'near line 1, column 18'],
    ["{'orderId': 'SECRETVALUE'}", 'near line 1, column 2'],
  ])('malformed JSON: %j is reported by its place and not repeated', async (text, place) => {
    const answer = await shell.post('/api/orders', text);
    const body = await problem(answer);
    expect(body).toMatchObject({ status: 400, code: 'malformed_json' });
    expect(body['detail']).toContain(place);
    expect(JSON.stringify(body)).not.toContain('SECRET');
  });

  it('more than 256 KiB, also when it is sent compressed; exactly 256 KiB is read', async () => {
    const frame = JSON.stringify({ orderId: 'A-1', count: 1, note: '' });
    const fitting = frame.replace('""', `"${'x'.repeat(262_144 - frame.length)}"`);
    expect((await shell.post('/api/orders', fitting)).status).toBe(201);
    const plain = await shell.post('/api/orders', `${fitting} `);
    expect(await problem(plain)).toMatchObject({ status: 413, code: 'body_too_large' });
    const bomb = gzipSync(Buffer.alloc(5_000_000, 0x20));
    const packed = await shell.post('/api/orders', bomb, { 'content-encoding': 'gzip' });
    expect(await problem(packed)).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it('more than 32 levels or 10,000 values; exactly so many are read', async () => {
    const nested = (levels: number): string =>
      `{"orderId":"A-1","count":1,"metadata":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
    const wide = (values: number): string =>
      `{"orderId":"A-1","count":1,"note":[${Array(values).fill(0).join(',')}]}`;
    expect((await shell.post('/api/orders', nested(31))).status).toBe(201);
    expect((await shell.post('/api/orders', wide(9_900))).status).toBe(201);
    for (const [body, word] of [
      [nested(32), 'deeper than 32'],
      [wide(10_001), 'more than 10000 values'],
    ] as const) {
      const refused = await problem(await shell.post('/api/orders', body));
      expect(refused).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(JSON.stringify(refused)).toContain(word);
    }
  });

  it.each(['application/x-www-form-urlencoded', 'application/jsonish', ''])(
    'a content type that is not JSON: %j',
    async (type) => {
      const answer = await shell.post('/api/orders', Buffer.from('{"orderId":"A-1","count":1}'), {
        'content-type': type,
      });
      expect(await problem(answer)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    },
  );

  it.each(['latin1', 'utf-16'])('a charset that is not UTF-8: %s', async (charset) => {
    const answer = await shell.post('/api/orders', '{}', {
      'content-type': `application/json; charset=${charset}`,
    });
    expect(await problem(answer)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  it('UTF-8 is read whole, with and without its mark at the beginning', async () => {
    for (const mark of ['', '\ufeff']) {
      const answer = await shell.post('/api/orders', `${mark}{"orderId":"Größe 😀","count":1}`);
      expect(await answer.json()).toEqual({ body: { orderId: 'Größe 😀', count: 1 } });
    }
  });

  it.each([
    ['a lone byte of Latin-1', Buffer.from('{"orderId":"Gr\xf6sse","count":1}', 'latin1')],
    ['a character cut short', Buffer.concat([Buffer.from('{"orderId":"'), Buffer.from([0xe2, 0x82])])],
    ['a surrogate', Buffer.from('{"orderId":"\xed\xa0\x80","count":1}', 'latin1')],
  ])('bytes that are not UTF-8: %s, sent plain and compressed', async (_what, bytes) => {
    const plain = await shell.post('/api/orders', bytes);
    const packed = await shell.post('/api/orders', gzipSync(bytes), { 'content-encoding': 'gzip' });
    for (const answer of [plain, packed])
      expect(await problem(answer)).toMatchObject({
        status: 400,
        code: 'malformed_json',
        detail: 'The body is not valid UTF-8.',
      });
  });

  it.each([
    ['gzip', 400, 'malformed_json'],
    ['zip', 415, 'unsupported_media_type'],
  ])('a content encoding that does not fit: %s', async (encoding, status, code) => {
    const answer = await shell.post('/api/orders', '{"orderId":"A-1"}', { 'content-encoding': encoding });
    expect(await problem(answer)).toMatchObject({ status, code });
  });

  it.each(['null', '[]', '"text"'])('JSON that is no object: %s names the body', async (text) => {
    const body = await problem(await shell.post('/api/orders', text));
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ field: 'body' }] });
  });

  it('wrong types are named and never converted', async () => {
    const body = await problem(await shell.post('/api/orders', '{"orderId":7,"count":"1","metadata":"x"}'));
    const fields = (body['errors'] as { field: string }[]).map(({ field }) => field).sort();
    expect(fields).toEqual(['count', 'metadata', 'orderId']);
    expect(body['errors']).toContainEqual({ field: 'count', message: 'must be an integer number' });
  });

  it('NUL characters, which the database cannot hold, are named by their field', async () => {
    const body = await problem(
      await shell.post('/api/orders', '{"orderId":"A-1","count":1,"metadata":{"a":"x\\u0000"}}'),
    );
    expect(body).toMatchObject({ status: 400, errors: [{ field: 'metadata.a' }] });
    const inPath = await problem(await shell.ask('/api/orders/by-id/x%00y'));
    expect(inPath).toMatchObject({ status: 400, errors: [{ field: 'path' }] });
  });

  it('names of prototypes change nothing', async () => {
    const text = '{"orderId":"A-1","count":1,"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}';
    expect(await (await shell.post('/api/orders', text)).json()).toEqual({
      body: { orderId: 'A-1', count: 1 },
    });
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('cannot be read past its rules: @Body() fails in the first test that meets it', async () => {
    const answer = await shell.post('/api/orders/unchecked', '{"orderId":"A-1","count":1}');
    expect(await problem(answer)).toMatchObject({ status: 500, code: 'internal' });
  });

  it('one that ends too early costs nothing but its connection', async () => {
    const { port } = new URL(shell.url);
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      'POST /api/orders HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{',
    );
    socket.destroy();
    expect((await shell.ask('/api/orders')).status).toBe(200);
  });
});

it('two Host headers are refused before the key is looked at, whatever their case and value', async () => {
  const connection = (await RawConnection.open(shell.url)).read();
  connection.send('GET /api/orders HTTP/1.1\r\nhost: a\r\nHOST: a\r\n\r\n');
  await waitFor(() => connection.text.includes('"code"'));
  connection.destroy();
  expect(connection.statuses).toEqual([400]);
  expect(connection.text).toContain('host must be one header');
});

describe('a key with 500 requests in progress', () => {
  const [MOST, STREAM] = [500, '/api/events/stream'];

  it('is refused another one until one ends, but for streams; other keys are not', async () => {
    const { port } = new URL(shell.url);
    const head = `POST /api/orders HTTP/1.1\r\nhost: x\r\nx-api-key: ${ENV_KEY}\r\n`;
    const body = 'content-type: application/json\r\ncontent-length: 50\r\n\r\n{';
    // More than the bound: the test's own request takes a place when it asks, and another socket is refused then.
    const sockets = Array.from({ length: MOST + 20 }, () => connect(Number(port), '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => undefined).write(`${head}${body}`);
    const status = async (path: string, key = ENV_KEY): Promise<number> =>
      (await shell.ask(path, { headers: { 'x-api-key': key } })).status;
    await waitFor(async () => (await status('/api/orders')) === 429);
    const refused = await shell.ask('/api/orders');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await problem(refused)).toMatchObject({
      code: 'too_many_in_flight',
      detail: expect.stringContaining('This API key has 500 requests in progress'),
    });
    expect(await Promise.all([status('/api/orders', STORED_KEY), status(STREAM)])).toEqual([200, 404]);
    for (const socket of sockets) socket.destroy();
    await waitFor(async () => (await status('/api/orders')) === 200);
  });
});

describe('an address', () => {
  it.each([
    ['GET', '/api/nothing-here?key=SECRETVALUE'],
    ['OPTIONS', '/api/nothing-here'],
    ['GET', '/nothing-here'],
    ['GET', '/..%2f..%2fetc/passwd'],
  ])('that nothing answers is a 404 problem: %s %s', async (method, path) => {
    const body = await problem(await shell.ask(path, { method }));
    expect(body).toMatchObject({ status: 404, code: 'not_found', instance: path.split('?')[0] });
    expect(JSON.stringify(body)).not.toContain('SECRET');
  });

  it.each([
    ['GET', '/api/nothing-here'],
    ['GET', '/API/nothing-here'],
    ['GET', '/api'],
    ['DELETE', '/api/orders'],
    ['PATCH', '/api/orders/by-id/7'],
    ['OPTIONS', '/api/orders'],
  ])('under /api shows whether it is there only to those who have a key: %s %s', async (method, path) => {
    for (const key of ['', 'wrong']) {
      const answer = await shell.ask(path, { method, headers: { 'x-api-key': key } });
      expect(answer.headers.has('allow')).toBe(false);
      const body = await problem(answer);
      expect(REFUSED_KEY).toContainEqual({ status: body['status'], code: body['code'] });
    }
    expect(REFUSED_KEY_STATUSES).not.toContain((await shell.ask(path, { method })).status);
  });

  it.each([
    ['DELETE', '/api/orders', 'GET, HEAD, OPTIONS, POST'],
    ['PATCH', '/API/orders/by-id/7/?x=1', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/orders/unchecked', 'OPTIONS, POST'],
    ['HEAD', '/api/orders/unchecked', 'OPTIONS, POST'],
    ['POST', '/pages/any/of/them', 'GET, HEAD, OPTIONS'],
  ])('that has other methods is a 405 that names them: %s %s', async (method, path, allow) => {
    const answer = await shell.ask(path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    if (method !== 'HEAD')
      expect(await problem(answer)).toMatchObject({
        code: 'method_not_allowed',
        detail: `This path has no ${method}, but ${allow}.`,
      });
    expect((await shell.ask('/api/orders', { method: 'HEAD' })).status).toBe(200);
    const options = await shell.ask(path, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow'), await options.text()]).toEqual([204, allow, '']);
  });

  it('beside /api is not ours to guard', async () => {
    for (const path of ['/apiary', '/nothing-here'])
      expect((await fetch(`${shell.url}${path}`)).status).toBe(404);
  });

  it('with encoded slashes is one parameter, and no way out', async () => {
    const answer = await shell.ask('/api/orders/by-id/..%2f..%2fetc%2Fpasswd');
    expect(await answer.json()).toEqual({ id: '../../etc/passwd' });
  });

  it('that is not percent-encoded rightly is named', async () => {
    const body = await problem(await shell.ask('/api/orders/by-id/%E0%A4%A'));
    expect(body).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field: 'path' }] });
  });

  it.each([
    ['limit=abc', 'limit'],
    ['limit=101', 'limit'],
    ['orderId=a&orderId=b', 'orderId'],
  ])('with a wrong query names the parameter: %s', async (query, field) => {
    const body = await problem(await shell.ask(`/api/orders?${query}`));
    expect(body).toMatchObject({ status: 400, code: 'invalid_request' });
    for (const error of body['errors'] as object[]) expect(error).toMatchObject({ field });
  });
});

describe('an answer', () => {
  it("keeps the provider's JSON byte for byte, alone and within", async () => {
    const alone = await shell.ask('/api/orders/verbatim');
    expect(alone.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await alone.text()).toBe(VERBATIM);
    const within = await shell.ask('/api/orders/within');
    expect(await within.text()).toBe(`{"list":[${VERBATIM}],"at":"1970-01-01T00:00:00.000Z","nothing":null}`);
  });

  it('can be nothing, a file or a stream of events', async () => {
    expect(await (await shell.ask('/api/orders/null')).text()).toBe('');
    const gone = await shell.post('/api/orders/gone', '');
    expect([gone.status, await gone.text()]).toEqual([204, '']);
    const file = await shell.ask('/api/orders/file');
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['text/csv; charset=utf-8', 'a,b']);
    const stream = await (await shell.ask('/api/orders/stream')).text();
    expect(stream).toContain('event: payment.created\nid: 1\ndata: {"sequence":1}\n');
  });

  it('is not kept by proxies, does not name its maker, and has the id of its request', async () => {
    const given = await shell.ask('/api/orders', { headers: { 'x-request-id': 'shop-77:a' } });
    expect(given.headers.get('x-request-id')).toBe('shop-77:a');
    expect(given.headers.get('cache-control')).toBe('private, no-cache');
    expect(given.headers.has('x-powered-by')).toBe(false);
    const odd = await shell.ask('/api/orders', { headers: { 'x-request-id': 'x"; drop' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a fault of ours', () => {
  it('is a 500 that says nothing, with the id under which the log says all', async () => {
    const body = await problem(await shell.ask('/api/orders/broken'));
    expect(body).toMatchObject({ status: 500, code: 'internal' });
    expect(JSON.stringify(body)).not.toContain('SELECT');
    const line = shell.logged.find(
      (one) => one['level'] === 'error' && one['requestId'] === body['requestId'],
    );
    expect(line).toMatchObject({
      context: 'ProblemFilter',
      err: { message: SECRET, stack: expect.any(String) },
    });
  });

  it('in the middle of an answer cuts the connection', async () => {
    await expect(shell.ask('/api/orders/half').then((answer) => answer.text())).rejects.toThrow(
      /fetch failed|terminated/,
    );
  });

  it('passes no validators of the answer that was meant', async () => {
    const answer = await shell.ask('/api/orders/busy');
    expect(await problem(answer)).toMatchObject({ status: 503, code: 'provider_unavailable' });
    expect(answer.headers.get('retry-after')).toBe('7');
    expect([answer.headers.has('last-modified'), answer.headers.get('etag')]).toEqual([
      false,
      expect.not.stringContaining('old'),
    ]);
  });
});

describe('the log', () => {
  it('has one line for each request, without the query and the key', async () => {
    await shell.ask('/api/orders?orderId=SECRETVALUE', { headers: { 'x-request-id': 'line-1' } });
    await shell.ask('/api/orders/busy', { headers: { 'x-request-id': 'line-2' } });
    const ok = shell.logged.find((line) => line['requestId'] === 'line-1');
    // Lines about successes would hide the warnings.
    expect(ok).toMatchObject({
      level: 'debug',
      context: 'Http',
      method: 'GET',
      path: '/api/orders',
      status: 200,
      ms: expect.any(Number),
    });
    const lines = shell.logged.filter((line) => line['requestId'] === 'line-2');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'info',
      status: 503,
      code: 'provider_unavailable',
      reason: expect.stringContaining('HTTP 503'),
    });
    expect(JSON.stringify(shell.logged)).not.toMatch(/SECRETVALUE|a-key-of-the-environment/);
  });
});
