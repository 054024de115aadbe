import { spawn } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import axios from 'axios';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { describeWith } from '../../support/describe-with.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { REFUSED_KEY, REFUSED_KEY_STATUSES } from '../../support/refused-key.ts';
import { RawConnection, requestText } from '../../support/raw-connection.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { plainPaybell } from './plain-paybell.ts';

const PATHS = [
  '/api/quote',
  '/api/payments',
  '/api/nothing-here',
  '/API/currencies',
  '/sandbox/payments/x/deposit',
];
const JSON_TYPE = { 'content-type': 'application/json' };
const PATIENCE = { timeoutMs: 10_000 };
const NEST = `${'['.repeat(30)}${'[],'.repeat(33_000)}`;

export function keyFirst(): void {
  describe('a key comes first', () => {
    let app: SharedService;

    beforeAll(async () => {
      ({ app } = await plainPaybell());
    });

    /** What is printed by a program that gets the URL and the size. */
    async function printed(program: string, words: readonly string[], input = ''): Promise<string> {
      const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'] });
      const parts: Buffer[] = [];
      child.stdout.on('data', (part: Buffer) => parts.push(part));
      child.stdin.end(input);
      await new Promise((resolve) => child.once('close', resolve));
      return Buffer.concat(parts).toString().trim();
    }

    /** Five times, each over a connection of its own. */
    const PYTHON = `
import http.client, sys
port, size, how = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
body = b'x' * size
headers = {'content-type': 'application/json'}
for _ in range(5):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=20)
    if how == 'chunked':
        pieces = (body[at:at + 65536] for at in range(0, size, 65536))
        connection.request('POST', '/api/quote', pieces, headers, encode_chunked=True)
    else:
        connection.request('POST', '/api/quote', body, headers)
    answer = connection.getresponse()
    print(answer.status, answer.getheader('connection'), b'unauthorized' in answer.read())
`;

    describe('a body without a key', () => {
      it.each([
        ['what is no JSON', JSON_TYPE, 'nonsense'],
        ['another type', { 'content-type': 'text/plain' }, '{}'],
        ['more than the limit', JSON_TYPE, 'x'.repeat(200_000)],
        ['a charset that is not UTF-8', { 'content-type': 'application/json; charset=latin1' }, '{}'],
        ['deep nesting', JSON_TYPE, NEST],
        ['an encoding that does not fit', { ...JSON_TYPE, 'content-encoding': 'gzip' }, '{}'],
        ['NUL in JSON', JSON_TYPE, '{"orderId":"\\u0000"}'],
      ])('is refused before anything is said about it: %s', async (_what, headers, body) => {
        for (const path of PATHS) {
          const url = `${app.url}${path}`;
          for (const key of [{}, { 'x-api-key': 'wrong' }]) {
            const answer = await fetch(url, { method: 'POST', headers: { ...headers, ...key }, body });
            const { code } = (await answer.json()) as { code: string };
            expect(REFUSED_KEY).toContainEqual({ status: answer.status, code });
          }
        }
      });

      it('is not inflated or parsed: it costs no more than none', async () => {
        const bomb = gzipSync(NEST);
        const send = async (body: Buffer | undefined): Promise<number> => {
          const begin = performance.now();
          for (let index = 0; index < 20; index += 1) {
            const headers = body === undefined ? {} : { ...JSON_TYPE, 'content-encoding': 'gzip' };
            const answer = await fetch(`${app.url}/api/quote`, {
              method: 'POST',
              headers,
              ...(body && { body }),
            });
            expect(answer.status).toBe(401);
            await answer.text();
          }
          return performance.now() - begin;
        };
        await send(undefined);
        // In turn, so that what else the machine does slows both.
        const ms = { plain: 0, bomb: 0 };
        for (let round = 0; round < 3; round += 1) {
          ms.plain += await send(undefined);
          ms.bomb += await send(bomb);
        }
        expect(ms.bomb).toBeLessThan(3 * ms.plain + 500);
      }, 60_000);

      it('is not asked for: Expect: 100-continue gets the 401 at once', async () => {
        const connection = (await RawConnection.open(app.url)).read();
        const headers = { ...JSON_TYPE, 'content-length': '5000', expect: '100-continue' };
        connection.send(requestText('/api/quote', headers, 'POST'));
        await connection.whenClosed(3_000);
        expect(connection.statuses).toEqual([401]);
      });

      it('is asked for whatever else a request expects', async () => {
        const connection = (await RawConnection.open(app.url)).read();
        connection.send(requestText('/api/chains', { expect: 'something-else' }));
        await waitFor(() => connection.statuses.length === 1);
        expect(connection.statuses).toEqual([401]);
      });

      it('that comes slowly, or not at all, is answered at once', async () => {
        for (const path of PATHS) {
          const connection = (await RawConnection.open(app.url)).read();
          const headers = { ...JSON_TYPE, 'content-length': '1000000000' };
          connection.send(requestText(path, headers, 'POST'));
          for (let index = 0; index < 5; index += 1) {
            connection.send('x');
            await sleep(20);
          }
          await connection.whenClosed(3_000);
          expect(connection.statuses).toEqual([401]);
          expect(connection.text).toMatch(/connection: close/i);
        }
      });

      it('without an end is thrown away for a while, and then its connection is closed', async () => {
        const connection = (await RawConnection.open(app.url)).read();
        connection.send(requestText('/api/quote', { ...JSON_TYPE, 'transfer-encoding': 'chunked' }, 'POST'));
        const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
        let sent = 0;
        for (; sent < 64 * 1_024 && !connection.isClosed; sent += 64) {
          connection.send(chunk);
          await new Promise((resolve) => setImmediate(resolve));
        }
        await waitFor(() => connection.isClosed, PATIENCE);
        expect(connection.statuses).toEqual([401]);
      });
    });

    describe('a client that is sending a large body', () => {
      it.each([
        [10_000_000, 'whole'],
        [10_000_000, 'chunked'],
      ])(
        'reads the 401, Python: %d bytes, %s',
        async (size, how) => {
          const lines = await printed('python3', ['-c', PYTHON, String(app.port), String(size), how]);
          expect(lines.split('\n')).toEqual(Array(5).fill('401 close True'));
        },
        60_000,
      );

      describeWith('curl', 'that is curl', (curl) => {
        it.each([10_000_000])(
          'reads the 401: %d bytes',
          async (size) => {
            for (const more of [
              [],
              ['-H', 'transfer-encoding: chunked'],
              ['-H', 'expect:'],
              ['--limit-rate', '3M'],
            ]) {
              const words = [
                '-s',
                '-o',
                '/dev/null',
                '-w',
                '%{http_code}',
                '-H',
                'content-type: application/json',
              ];
              const url = `${app.url}/api/quote`;
              expect(
                await printed(curl, [...words, ...more, '--data-binary', '@-', url], 'x'.repeat(size)),
              ).toBe('401');
            }
          },
          60_000,
        );
      });

      it.each([10_000_000])(
        'reads the 401, axios and fetch: %d bytes',
        async (size) => {
          const data = Buffer.alloc(size, 'x');
          const url = `${app.url}/api/quote`;
          for (let index = 0; index < 3; index += 1) {
            const answer = await axios.post(url, data, { headers: JSON_TYPE, validateStatus: null });
            expect(answer.status).toBe(401);
            const fetched = await fetch(url, { method: 'POST', headers: JSON_TYPE, body: data });
            expect([fetched.status, (await fetched.text()).includes('unauthorized')]).toEqual([401, true]);
          }
        },
        60_000,
      );

      it('reads the refusal over a kept connection, and then sends on another', async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const post = (key: string): Promise<number> =>
          new Promise((resolve, reject) => {
            const headers = { ...JSON_TYPE, 'x-api-key': key };
            const request = httpRequest(
              `${app.url}/api/quote`,
              { method: 'POST', agent, headers },
              (answer) => {
                answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
              },
            );
            request.once('error', reject);
            request.end(JSON.stringify({ orderId: 'x'.repeat(90_000) }));
          });
        for (let index = 0; index < 5; index += 1) {
          expect(REFUSED_KEY_STATUSES).toContain(await post('wrong'));
          expect(await post(app.apiKey)).toBe(400);
        }
        agent.destroy();
      });

      it('is logged with its status', async () => {
        await printed('python3', ['-c', PYTHON, String(app.port), '10000000', 'whole']);
        expect(app.lines.filter((line) => line.includes('"aborted":true')).join()).not.toContain(
          '"status":401',
        );
      });
    });

    describe('a body with a key', () => {
      it('is asked for once it is certain to be read', async () => {
        const key = { 'x-api-key': app.apiKey, expect: '100-continue' };
        const connection = (await RawConnection.open(app.url)).read();
        connection.send(requestText('/api/quote', { ...key, ...JSON_TYPE, 'content-length': '2' }, 'POST'));
        await waitFor(() => connection.statuses.length === 1, PATIENCE);
        connection.send('{}');
        await waitFor(() => connection.statuses.length === 2, PATIENCE);
        expect(connection.statuses).toEqual([100, 400]);
        const large = (await RawConnection.open(app.url)).read();
        large.send(
          requestText('/api/quote', { ...key, ...JSON_TYPE, 'content-length': '1000000000' }, 'POST'),
        );
        const other = (await RawConnection.open(app.url)).read();
        other.send(
          requestText('/api/quote', { ...key, 'content-type': 'text/plain', 'content-length': '9' }, 'POST'),
        );
        await Promise.all([large.whenClosed(3_000), other.whenClosed(3_000)]);
        expect([...large.statuses, ...other.statuses]).toEqual([413, 415]);
      });

      it.each([
        ['values', `{"a":[${'[],'.repeat(10_000)}[]]}`],
        ['members', `{${Array.from({ length: 10_001 }, (_none, index) => `"${index}":1`).join()}}`],
        ['nesting', NEST],
      ])('is refused for its number of %s before it is parsed', async (_what, text) => {
        const answer = await app.fetch('/api/quote', { method: 'POST', body: text });
        const problem = (await answer.json()) as { code: string; errors: { field: string }[] };
        expect([answer.status, problem.code, problem.errors[0]?.field]).toEqual([
          400,
          'invalid_request',
          'body',
        ]);
        const packed = await fetch(`${app.url}/api/quote`, {
          method: 'POST',
          headers: { ...JSON_TYPE, 'content-encoding': 'gzip', 'x-api-key': app.apiKey },
          body: gzipSync(text),
        });
        expect(packed.status).toBe(400);
      });

      it('may have whatever its strings hold', async () => {
        const metadata = { note: '[{,"\\'.repeat(90) };
        const body = { quoteId: 'not-there', metadata: { ...metadata, more: ',\\'.repeat(240) } };
        const answer = await app.fetch('/api/payments', { method: 'POST', body });
        expect(answer.status).toBe(404);
      });
    });
  });
}
