import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { SecretsAtRest, type RenewedBatch } from '../../src/ports/secrets-at-rest.ts';
import { SecretReencryption } from '../../src/features/webhook-endpoints/secret-reencryption.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** Answers the given batches one after the other. */
class FakeSecretsAtRest extends SecretsAtRest {
  readonly asked: (string | null)[] = [];
  constructor(private readonly batches: (RenewedBatch | Error)[]) {
    super();
  }

  async renew(after: string | null): Promise<RenewedBatch> {
    this.asked.push(after);
    const batch = this.batches.shift() ?? { renewed: 0, unreadable: 0, next: null };
    if (batch instanceof Error) throw batch;
    return batch;
  }
}

const begun: SecretReencryption[] = [];

function begin(secrets: SecretsAtRest): SecretReencryption {
  const renewal = new SecretReencryption(secrets, new FakeDatabaseHealth());
  begun.push(renewal);
  renewal.onApplicationBootstrap();
  return renewal;
}

describe('SecretReencryption', () => {
  afterEach(() => {
    for (const renewal of begun.splice(0)) renewal.onModuleDestroy();
    jest.restoreAllMocks();
  });

  it('begins by itself once the database is ready, goes on to the end and says how many there were', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const secrets = new FakeSecretsAtRest([
      { renewed: 100, unreadable: 0, next: 'a' },
      { renewed: 7, unreadable: 0, next: null },
    ]);
    begin(secrets);
    await waitFor(() => log.mock.calls.length > 0);
    expect(secrets.asked).toEqual([null, 'a']);
    expect(String(log.mock.calls[0])).toContain('the secrets of 107 webhook endpoints are encrypted');
  });

  it('says nothing when there is nothing to do', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const secrets = new FakeSecretsAtRest([]);
    begin(secrets);
    await waitFor(() => secrets.asked.length === 1);
    expect(log).not.toHaveBeenCalled();
  });

  it('reports what it did before it failed, and does the rest in the next round', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const batch = { renewed: 100, unreadable: 1, next: 'a' };
    const secrets = new FakeSecretsAtRest([batch, new Error('the database is away')]);
    begin(secrets);
    await waitFor(() => secrets.asked.length === 3);
    expect(secrets.asked).toEqual([null, 'a', null]);
    expect(String(log.mock.calls[0])).toContain('the secrets of 100 webhook endpoints');
    expect(warn.mock.calls.flat().join()).toContain('the database is away');
    expect(warn.mock.calls.flat().join()).toContain("1 webhook endpoints can't be decrypted");
  });

  it('begins nothing after a stop', async () => {
    const secrets = new FakeSecretsAtRest([{ renewed: 0, unreadable: 0, next: 'a' }]);
    const renewal = begin(secrets);
    renewal.onModuleDestroy();
    await renewal.beforeApplicationShutdown();
    const asked = secrets.asked.length;
    await new Promise(setImmediate);
    expect(secrets.asked).toHaveLength(asked);
  });
});
