import { Logger } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';

import { StructuredLogger } from '../../src/platform/process/logging.ts';

type Line = Record<string, unknown> & { msg: string };

function logger(level: 'info' | 'trace' | 'silent' = 'trace'): {
  log: StructuredLogger;
  lines: () => Line[];
  raw: () => string;
} {
  let written = '';
  const log = new StructuredLogger(level, { write: (text: string) => void (written += text) });
  const lines = (): Line[] =>
    written
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  return { log, lines, raw: () => written };
}

describe('the log', () => {
  it('is one line of JSON with time, level, context and message', () => {
    const { log, lines } = logger();
    log.log('listening', 'Paybell');
    expect(lines()).toEqual([
      { level: 'info', time: expect.any(String), context: 'Paybell', msg: 'listening' },
    ]);
  });

  it('keeps the fields of an object', () => {
    const { log, lines } = logger();
    log.warn({ msg: 'slow', ms: 12.5, nested: { at: new Date(0) } }, 'Http');
    expect(lines()[0]).toMatchObject({
      msg: 'slow',
      ms: 12.5,
      nested: { at: '1970-01-01T00:00:00.000Z' },
      context: 'Http',
    });
  });

  it("takes what Nest's own Logger hands over", () => {
    const { log, lines } = logger();
    const previous = Logger.overrideLogger(log);
    new Logger('Tracker').error('failed', new Error('boom').stack);
    Logger.overrideLogger((previous as never) ?? false);
    expect(lines()[0]).toMatchObject({
      level: 'error',
      msg: 'failed',
      context: 'Tracker',
      stack: expect.stringContaining('boom'),
    });
  });

  it('logs stacks at error level only', () => {
    const { log, lines } = logger();
    const error = new Error('outer', { cause: new TypeError('inner') });
    for (const level of ['error', 'warn', 'log', 'debug'] as const) log[level]({ msg: 'x', err: error }, 'C');
    const [atError, ...others] = lines();
    expect(atError).toMatchObject({
      err: { type: 'Error', message: 'outer', stack: expect.any(String), cause: { type: 'TypeError' } },
    });
    for (const line of others) expect(JSON.stringify(line)).not.toContain('logging.test');
  });

  it('writes nothing below its level, and nothing at all when silent', () => {
    const info = logger('info');
    info.log.debug('hidden');
    info.log.log('Mapped {/api} route', 'RouterExplorer');
    info.log.log('seen', 'Paybell');
    expect(info.lines().map((line) => line.msg)).toEqual(['seen']);
    const silent = logger('silent');
    silent.log.fatal('the end');
    expect(silent.raw()).toBe('');
  });

  it.each([
    'authorization',
    'x-api-key',
    'apiKey',
    'secret',
    'previousSecret',
    'password',
    'token',
    'cookie',
    'encryptionKey',
  ])('hides what is named %s, at any depth', (name) => {
    const { log, raw } = logger();
    log.error({ msg: 'x', [name]: 'hunter2', a: [{ b: { [name]: { deep: 'hunter2' } } }] });
    expect(raw()).not.toContain('hunter2');
    expect(raw()).toContain('[redacted]');
  });

  it.each([
    'connecting to postgres://paybell:hunter2@db:5432/paybell failed',
    'amqps://user:hunter2@broker',
    'postgres://paybell:hunter2@a:5432,b:5432/paybell',
    'amqp://user:hunter2@a:5672,amqp://user:hunter2@b:5672',
    'signed with whsec_hunter2hunter2hunter2',
    'signed with whsk_hunter2hunter2hunter2',
    'key pb_hunter2hunter2hunter2hunter2hunter2',
    'Authorization: Bearer hunter2hunter2',
  ])('hides what looks like a secret in a text: %s', (text) => {
    const { log, raw } = logger();
    log.log(text);
    log.error(new Error(text));
    log.error({ msg: text, err: new Error('x', { cause: new Error(text) }), list: [text] });
    log.error('failed', `Error: ${text}\n    at file.ts:1:1`, 'Context');
    expect(raw()).not.toContain('hunter2');
  });

  it("leaves out a driver error's query and parameters", () => {
    const { log, raw } = logger();
    log.error({
      msg: 'x',
      err: Object.assign(new Error('failed'), { query: 'SELECT hunter2', parameters: ['hunter2'] }),
    });
    expect(raw()).not.toContain('hunter2');
  });

  it('survives cycles, big texts and values JSON has no word for', () => {
    const { log, lines, raw } = logger();
    const cyclic: Record<string, unknown> = { big: 10n ** 30n, bytes: Buffer.alloc(9) };
    cyclic['self'] = cyclic;
    log.log({ msg: 'x'.repeat(1_000_000), cyclic });
    log.log(undefined);
    log.log(null, 'C');
    log.log(Symbol('odd'));
    expect(lines()).toHaveLength(4);
    expect(raw().length).toBeLessThan(20_000);
  });
});
