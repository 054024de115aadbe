import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { StartupReport, StartupSettings } from '../../src/features/health/startup-report.ts';
import type { ThisReplica } from '../../src/ports/replicas.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

function warningsOf(host: string, publicUrl: string | null, servesDashboard = true): unknown[] {
  jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const settings = new StartupSettings(['sandbox'], 7_000, host, publicUrl, servesDashboard);
  new StartupReport(settings, {
    id: 'r-1',
    roles: ['api'],
  } as unknown as ThisReplica).onApplicationBootstrap();
  return warn.mock.calls.map(([line]) => line);
}

describe('a start whose pages others than this machine reach', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'paybell.internal'])('says to set PUBLIC_URL, on %s', (host) => {
    expect(warningsOf(host, null)).toEqual([
      expect.stringContaining(`HOST is ${host} and PUBLIC_URL is not set`),
    ]);
  });

  it.each<[string, string | null, boolean]>([
    ['127.0.0.1', null, true],
    ['::1', null, true],
    ['localhost', null, true],
    ['0.0.0.0', 'https://pay.example', true],
    ['0.0.0.0', null, false],
  ])('says nothing where that is not so: HOST %s, PUBLIC_URL %s, pages %s', (host, publicUrl, pages) => {
    expect(warningsOf(host, publicUrl, pages)).toEqual([]);
  });
});
