import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { SecretsAtRest, type RenewedBatch } from '../../src/ports/secrets-at-rest.ts';
import { SecretRenewal } from '../../src/features/webhook-endpoints/secret-renewal.ts';
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

describe('SecretRenewal', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('begins by itself once the database is ready, goes on to the end and says how many there were', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const secrets = new FakeSecretsAtRest([
      { renewed: 100, unreadable: 0, next: 'a' },
      { renewed: 7, unreadable: 0, next: null },
    ]);
    new SecretRenewal(secrets, new FakeDatabaseHealth()).onApplicationBootstrap();
    await waitFor(() => log.mock.calls.length > 0);
    expect(secrets.asked).toEqual([null, 'a']);
    expect(String(log.mock.calls[0])).toContain('the secrets of 107 webhook endpoints are encrypted');
  });

  it('says nothing when there is nothing to do', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    await new SecretRenewal(new FakeSecretsAtRest([]), new FakeDatabaseHealth()).run();
    expect(log).not.toHaveBeenCalled();
  });

  it('never throws, reports what it did before it failed, and does the rest in a later run', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const batch = { renewed: 100, unreadable: 1, next: 'a' };
    const secrets = new FakeSecretsAtRest([batch, new Error('the database is away')]);
    const renewal = new SecretRenewal(secrets, new FakeDatabaseHealth());
    await renewal.run();
    expect(log).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls.flat().join()).toContain('the database is away');
    expect(warn.mock.calls.flat().join()).toContain("1 webhook endpoints can't be decrypted");
    await renewal.run();
    expect(secrets.asked).toEqual([null, 'a', null]);
  });

  it('does not run twice at once, and begins nothing after a stop', async () => {
    const secrets = new FakeSecretsAtRest([]);
    const renewal = new SecretRenewal(secrets, new FakeDatabaseHealth());
    await Promise.all([renewal.run(), renewal.run()]);
    expect(secrets.asked).toHaveLength(1);
    await renewal.beforeApplicationShutdown();
    await renewal.run();
    expect(secrets.asked).toHaveLength(1);
  });
});
