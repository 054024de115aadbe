import type { Socket } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import { ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { spokenHttp } from '../support/spoken-http.ts';
import { head, reportOf, ScriptedProviders, statusOf, unavailable } from '../support/scripted-provider.ts';

const providers = new ScriptedProviders();
afterEach(() => providers.stop());

const body = (bytes: string | Buffer, type = 'application/json'): ((socket: Socket) => void) => {
  const length = Buffer.byteLength(bytes);
  return (socket) => {
    socket.write(head('200 OK', `content-type: ${type}`, `content-length: ${length}`));
    socket.write(bytes);
  };
};

describe('the http provider, when the answer makes no sense', () => {
  const unreadable: [string, (socket: Socket) => void][] = [
    ['HTML', body('<html><body>Welcome to the Wi-Fi</body></html>', 'text/html')],
    ['an empty body', body('')],
    ['JSON that stops in the middle', body('{"quoteId":"quote-1","stat')],
    ['JSON that is no object', body('[1,2,3]')],
    ['the word null', body('null')],
    ['bytes that are no UTF-8', body(Buffer.from('{"status":"EXECUTING","error":"\xff"}', 'latin1'))],
    ['success: false without a status', body('{"success":false,"error":"no such quote"}')],
  ];
  it.each(unreadable)('calls %s an unreadable answer', async (_name, script) => {
    expect(await providers.answerTo(script)).toEqual(unavailable('unreadable answer', 200));
  });

  it('calls a 204 an unreadable answer', async () => {
    const answer = await providers.answerTo((socket) => socket.write(head('204 No Content')));
    expect(answer).toEqual(unavailable('unreadable answer', 204));
  });

  const broken: [string, (socket: Socket) => void][] = [
    [
      'a chunk size that is none',
      (socket) => socket.write(head('200 OK', 'transfer-encoding: chunked') + 'zz\r\n{}'),
    ],
    ['what is not HTTP', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
    ['a header of 64 KiB', (socket) => socket.write(head('200 OK', `x-filler: ${'x'.repeat(65_536)}`))],
  ];
  it.each(broken)('calls %s an unreadable answer without an HTTP status', async (_name, script) => {
    expect(await providers.answerTo(script)).toEqual(unavailable('unreadable answer'));
  });

  it('does not take a body that is shorter than announced for an answer', async () => {
    const answer = await providers.answerTo((socket) =>
      socket.end(head('200 OK', 'content-length: 5000') + reportOf('quote-1')),
    );
    expect(answer).toMatchObject({ kind: 'unavailable' });
  });

  it('does not take a chunked body that was cut off for an answer', async () => {
    const text = reportOf('quote-1');
    const answer = await providers.answerTo((socket) =>
      socket.end(`${head('200 OK', 'transfer-encoding: chunked')}${text.length.toString(16)}\r\n${text}\r\n`),
    );
    expect(answer).toMatchObject({ kind: 'unavailable' });
  });

  it.each([
    ['at once', ''],
    ['within the header', 'HTTP/1.1 200 OK\r\ncontent-'],
  ])('survives a connection that is reset %s', async (_name, before) => {
    const answer = await providers.answerTo((socket) => {
      if (before === '') socket.resetAndDestroy();
      else socket.write(before, () => socket.resetAndDestroy());
    });
    expect(answer).toEqual(unavailable('connection closed'));
  });

  it('survives a switch of protocols that nobody asked for', async () => {
    const answer = await providers.answerTo((socket) =>
      socket.write(head('101 Switching Protocols', 'connection: upgrade', 'upgrade: websocket')),
    );
    expect(answer).toMatchObject({ kind: 'unavailable' });
  });

  it.each(spokenHttp(reportOf('quote-1')))('reads an answer that has %s', async (_name, bytes) => {
    const answer = await providers.answerTo((socket) => socket.end(Buffer.from(bytes, 'latin1')));
    expect(answer).toMatchObject({ kind: 'report', report: { status: 'EXECUTING' } });
  });

  it('reads an answer whose encoding is only misnamed', async () => {
    const base = await providers.answering(200, reportOf(), { 'content-encoding': 'utf-8' });
    expect(await statusOf(providers.client(base))).toMatchObject({ kind: 'report' });
  });

  it('says that nobody listens', async () => {
    const provider = providers.client(`http://127.0.0.1:${await freePort()}`);
    expect(await statusOf(provider)).toEqual(unavailable('connection refused'));
    await expect(provider.readChains()).rejects.toEqual(new ProviderUnavailable('connection refused'));
  });
});
