import { spawn } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

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
/** More than the operating system buffers for a connection. */
const LARGE = 10_000_000;
const NEST = `${'['.repeat(30)}${'[],'.repeat(33_000)}`;

export function keyFirst(): void {
  describe('a key comes first', () => {
    let app: SharedService;

    beforeAll(async () => {
      ({ app } = await plainPaybell());
    });

    /** The output of a program that is started with the URL and the size. */
    async function printed(program: string, words: readonly string[], input = ''): Promise<string> {
      const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'] });
      const parts: Buffer[] = [];
      child.stdout.on('data', (part: Buffer) => parts.push(part));
      child.stdin.end(input);
      await new Promise((resolve) => child.once('close', resolve));
      return Buffer.concat(parts).toString().trim();
    }

    describe('a body without a key', () => {
      it('is refused before anything is said about it', async () => {
        const bodies: [Record<string, string>, string][] = [
          [JSON_TYPE, 'nonsense'],
          [{ 'content-type': 'text/plain' }, '{}'],
          [JSON_TYPE, 'x'.repeat(200_000)],
          [JSON_TYPE, NEST],
          [{ ...JSON_TYPE, 'content-encoding': 'gzip' }, '{}'],
        ];
        for (const path of PATHS)
          for (const [headers, body] of bodies)
            for (const key of [{}, { 'x-api-key': 'wrong' }]) {
              const init = { method: 'POST', headers: { ...headers, ...key }, body };
              const answer = await fetch(`${app.url}${path}`, init);
              const { code } = (await answer.json()) as { code: string };
              expect(REFUSED_KEY).toContainEqual({ status: answer.status, code });
            }
      });

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
        await waitFor(() => connection.isClosed);
        expect(connection.statuses).toEqual([401]);
      });
    });

    describe('a client that is sending a large body', () => {
      describeWith('curl', 'that is curl', (curl) => {
        it('reads the 401', async () => {
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
          for (const more of [[], ['-H', 'transfer-encoding: chunked'], ['-H', 'expect:']]) {
            const input = 'x'.repeat(LARGE);
            expect(await printed(curl, [...words, ...more, '--data-binary', '@-', url], input)).toBe('401');
          }
        });
      });

      it('reads the 401, axios and fetch', async () => {
        const data = Buffer.alloc(LARGE, 'x');
        const url = `${app.url}/api/quote`;
        for (let index = 0; index < 5; index += 1) {
          const answer = await axios.post(url, data, { headers: JSON_TYPE, validateStatus: null });
          expect(answer.status).toBe(401);
          const fetched = await fetch(url, { method: 'POST', headers: JSON_TYPE, body: data });
          expect([fetched.status, (await fetched.text()).includes('unauthorized')]).toEqual([401, true]);
        }
      });

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
        for (let index = 0; index < 20; index += 1) {
          expect(REFUSED_KEY_STATUSES).toContain(await post('wrong'));
          expect(await post(app.apiKey)).toBe(400);
        }
        agent.destroy();
      });
    });

    describe('a body with a key', () => {
      it('is asked for once it is certain to be read', async () => {
        const key = { 'x-api-key': app.apiKey, expect: '100-continue' };
        const connection = (await RawConnection.open(app.url)).read();
        connection.send(requestText('/api/quote', { ...key, ...JSON_TYPE, 'content-length': '2' }, 'POST'));
        await waitFor(() => connection.statuses.length === 1);
        connection.send('{}');
        await waitFor(() => connection.statuses.length === 2);
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
    });
  });
}
