import { describe, expect, it } from '@jest/globals';

import { ResponseHead, tidyHead } from '../../src/platform/bounded-reading/response-head.ts';
import { spokenHttp } from '../support/spoken-http.ts';

function reading(...chunks: string[]): { text: string; interims: number } {
  let interims = 0;
  const head = new ResponseHead(() => (interims += 1));
  const text = chunks
    .map((chunk) => Buffer.from(chunk, 'latin1'))
    .map((chunk) => (head.passUsual(chunk) ? chunk : head.takeChunk(chunk)).toString('latin1'))
    .join('');
  return { text, interims };
}

const tidied = (...lines: string[]): string[] =>
  tidyHead(['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n'))
    .split('\r\n')
    .slice(1, -2);

describe('the head of a response', () => {
  it.each(spokenHttp('{}'))('is the same whatever bytes come at once: %s', (_name, bytes) => {
    const whole = reading(bytes);
    expect(whole.text).toMatch(/^HTTP\/1\.[01] 200 (?:OK)?\r\n(?:[A-Za-z0-9-]+: .+\r\n)*\r\n/);
    expect(reading(...bytes.split(''))).toEqual(whole);
    for (const at of [1, 7, 8, 20, 40]) expect(reading(bytes.slice(0, at), bytes.slice(at))).toEqual(whole);
  });

  it('is left as it is where it is as strict as it would be written, and has one length', () => {
    const usual = 'HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}';
    expect(reading(usual).text).toBe(usual);
    for (const odd of [
      'Transfer-Encoding: chunked',
      'Connection: close, upgrade',
      'Upgrade: h2c',
      'Trailer: x',
      'content-length: 2',
      'x : y',
      'x:y',
      'x: \u0001',
      'x: ü',
      ' folded',
    ])
      expect(reading(usual.replace('Date: now', odd)).text).not.toContain('OK');
    for (const bytes of ['HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n', 'HTTP/1.1 200 OK\r\nx: y\r\n\r\n'])
      expect(reading(bytes).text).not.toContain('OK');
  });

  it('is given once it is complete, and what follows it is left as it is', () => {
    expect(reading('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n')).toEqual({ text: '', interims: 0 });
    const body = '\r\nHTTP/1.1 100 Continue\r\n\r\n';
    const { text, interims } = reading(`HTTP/1.1 200 OK\r\n\r\n${body}`, body);
    expect(text).toBe(`HTTP/1.1 200 \r\n\r\n${body}${body}`);
    expect(interims).toBe(0);
  });

  it('is looked for anew in the next response', () => {
    let interims = 0;
    const head = new ResponseHead(() => (interims += 1));
    const answer = Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
    for (let response = 0; response < 2; response += 1) {
      expect(head.takeChunk(answer).toString()).toBe('HTTP/1.1 204 \r\n\r\n');
      head.restart();
    }
    expect(interims).toBe(2);
    head.takeChunk(Buffer.from('HTTP/1.1 50'));
    head.restart();
    expect(head.takeChunk(answer).toString()).toBe('HTTP/1.1 204 \r\n\r\n');
  });

  it.each([
    ['SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTTP/2 200 OK\r\n'],
    ['http/1.1 200 OK\r\n'],
    ['HTTP/1.1 abc OK\r\n\r\n'],
    ['HTTP/1.1 099 OK\r\n\r\n'],
    ['HTTP/1.1 2000 OK\r\n\r\n'],
    ['HTTP/1.1 20 OK\r\n\r\n'],
    ['HTTP/1.1200 OK\r\n\r\n'],
  ])('is left to the parser where it is none: %j', (bytes) => {
    expect(reading(bytes).text).toBe(bytes);
  });
});

describe('a tidy head', () => {
  it('has the headers that are read, in lower case, and no others', () => {
    const lines = ['Date: x', 'Retry-After: 7', 'Connection: close', 'Keep-Alive: timeout=5', 'Upgrade: h2c'];
    expect(tidied(...lines)).toEqual(['connection: close', 'keep-alive: timeout=5', 'retry-after: 7']);
  });

  it('has each Retry-After, the first one first', () => {
    expect(tidied('retry-after: 7', 'x: y', 'retry-after: 9')).toEqual(['retry-after: 7', 'retry-after: 9']);
  });

  it('unfolds lines, and takes a fold of another header for none of this one', () => {
    expect(tidied('retry-after:', '\t7')).toEqual(['retry-after: 7']);
    expect(tidied('retry-after: Fri, 20 Nov 2026', '  12:00:30 GMT')).toEqual([
      'retry-after: Fri, 20 Nov 2026 12:00:30 GMT',
    ]);
    expect(tidied('retry-after: 7', 'x: y', ' 9')).toEqual(['retry-after: 7']);
    expect(tidied(' retry-after: 7')).toEqual([]);
  });

  it('has no control characters, and no name that is none', () => {
    expect(tidied('retry-after:\t 7\u0001\0', 'retry-after 9', ': 9')).toEqual(['retry-after: 7']);
  });

  it('keeps lengths that differ for the parser, which refuses them', () => {
    expect(tidied('content-length: 2, 2', 'content-length: 2')).toEqual(['content-length: 2']);
    expect(tidied('content-length: 2', 'content-length: 3')).toEqual([
      'content-length: 2',
      'content-length: 3',
    ]);
  });

  it('keeps a length that is empty for the parser, which refuses it', () => {
    expect(tidied('content-length:')).toEqual(['content-length: ']);
    expect(tidied('content-length: ,', 'content-length:')).toEqual(['content-length: ']);
  });

  it('takes chunks for more than a length, and the connection for used up then', () => {
    expect(tidied('content-length: 2', 'transfer-encoding: gzip', 'transfer-encoding: chunked')).toEqual([
      'transfer-encoding: gzip, chunked',
      'connection: close',
    ]);
    expect(tidied('transfer-encoding: chunked')).toEqual(['transfer-encoding: chunked']);
    expect(tidied('transfer-encoding: Identity', 'content-length: 2')).toEqual(['content-length: 2']);
  });
});
