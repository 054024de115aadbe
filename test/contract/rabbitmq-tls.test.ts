import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { configOf } from '../support/config-of.ts';
import { TrackRequests, type TrackOutcome } from '../../src/ports/track-requests.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { deliver, isReady, owed, Workbench } from './rabbitmq-workbench.ts';

/** Self-signed for localhost, valid for a hundred years, used by this test alone. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUbJSTg1heIgW3wwfuZWboJcs5qJMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDE5NTkzN1oYDzIxMjYxMDI3
MTk1OTM3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAT/2RvQnbQ0O4xRg4almMggJEfa/QGX6DJOJpgPcFdAjI3F6vo9UecZ
FAvrfePjkB0C6EctQ5s3WniA/4Lg6W9xo28wbTAdBgNVHQ4EFgQUBSZl4g6zL+yg
/Pd57RkTgTgElQMwHwYDVR0jBBgwFoAUBSZl4g6zL+yg/Pd57RkTgTgElQMwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgErUwiQBtMo+rbiFJZXXblLA2RQwMwPnl36UTZYnA0GgCIBTt
3/uME1CY8HWABI8yhlHEpsD0jUiUWLakvJs6gfej
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5iYjSYVbZ9YNBKHS
5uz1WHtJsiCXLJFV49bznQVLJlOhRANCAAT/2RvQnbQ0O4xRg4almMggJEfa/QGX
6DJOJpgPcFdAjI3F6vo9UecZFAvrfePjkB0C6EctQ5s3WniA/4Lg6W9x
-----END PRIVATE KEY-----`;

describeWithBroker('Publishing to RabbitMQ over TLS', () => {
  let bench: Workbench;
  let server: Server;
  let url: string;
  beforeEach(async () => {
    bench = await Workbench.open();
    server = await tlsInFrontOf(new URL(brokerUrl()));
    const secure = new URL(brokerUrl());
    url = `amqps://${secure.username}:${secure.password}@localhost:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await bench.close();
    await new Promise((resolve) => server.close(resolve));
  });

  it('works with an amqps URL whose certificate is trusted', async () => {
    const messages = await bench.consume(await bench.queue());
    const destination = bench.destination(url, {}, { ca: CERTIFICATE });
    destination.start();
    await isReady(destination);

    await expect(deliver(destination, owed())).resolves.toEqual({
      kind: 'delivered',
      httpStatus: null,
      isRouted: true,
    });

    await waitFor(() => messages.length === 1);
  });

  it('trusts the file that RABBITMQ_CA_FILE names, for events and for the track queue', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paybell-tls-'));
    try {
      const file = join(folder, 'ca.pem');
      writeFileSync(file, CERTIFICATE);
      const { rabbitmqCa: ca } = configOf({ RABBITMQ_URL: url, RABBITMQ_CA_FILE: file });
      const destination = bench.destination(url, {}, { ca });
      destination.start();
      const consumer = bench.consumer(new NeverAsked(), { urls: [url], queue: bench.queueName('track'), ca });

      await isReady(destination);
      await waitFor(() => consumer.health().status === 'ok');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses a certificate that is not trusted, and says so', async () => {
    const destination = bench.destination(url);
    destination.start();

    await waitFor(() => destination.health().detail === 'TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)');

    await expect(destination.targets()).resolves.toEqual([]);
  });
});

class NeverAsked extends TrackRequests {
  takeRequest(): Promise<TrackOutcome> {
    return Promise.reject(new Error('nothing was sent'));
  }
}

async function tlsInFrontOf(broker: URL): Promise<Server> {
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (near) => {
    const far = connect(Number(broker.port || 5672), broker.hostname);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return server;
}
