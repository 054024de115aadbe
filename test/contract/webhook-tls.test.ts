import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';

import { afterEach, describe, expect, it } from '@jest/globals';

import { adviceOn } from '../../src/domain/delivery/failure-advice.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { startTcpReceiver } from '../support/tcp-receiver.ts';
import { certify, SHOP, TEST_AUTHORITY } from '../support/tls-certificates.ts';
import { WebhookBench } from '../support/webhook-bench.ts';

const AMPLE_MS = 20_000;
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const cleanup: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

interface Receiver {
  readonly port: number;
}

/** A TLS server that passes each connection to `onSocket`, which by default answers each request with 200. */
async function tlsShop(
  options: TlsOptions,
  onSocket: (socket: TLSSocket) => void = (socket) => void socket.on('data', () => socket.write(OK)),
): Promise<Receiver> {
  const server = createTlsServer({ ...SHOP, ...options }, (socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  return listening(server);
}

async function listening(server: Server): Promise<Receiver> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return server.address() as AddressInfo;
}

async function rawShop(onSocket: (socket: Socket) => void): Promise<Receiver> {
  const shop = await startTcpReceiver(onSocket);
  cleanup.push(shop.close);
  return shop;
}

async function httpsShop(body: string, tls?: typeof SHOP): Promise<Receiver> {
  const shop = await HttpReceiver.start(() => ({ status: 400, body }), tls === undefined ? {} : { tls });
  cleanup.push(() => shop.close());
  return shop;
}

const once =
  (answer: (socket: Socket) => void) =>
  (socket: Socket): void =>
    void socket.once('data', () => answer(socket));

const chainOf = (...certificates: readonly { readonly cert: string }[]): string =>
  certificates.map(({ cert }) => cert).join('\n');

const MIDDLE = certify({ name: 'Paybell test intermediate', by: TEST_AUTHORITY, isAuthority: true });
const OTHER_ROOT = certify({ name: 'Another CA', isAuthority: true });
const OTHER_MIDDLE = certify({ name: 'Another intermediate', by: OTHER_ROOT, isAuthority: true });
const BY_MIDDLE = certify({ name: 'shop.test', by: MIDDLE });
const BY_OTHER_ROOT = certify({ name: 'shop.test', by: OTHER_ROOT });
const BY_OTHER_MIDDLE = certify({ name: 'shop.test', by: OTHER_MIDDLE });
const TLS_10_TO_11 = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
const DEMANDING = { requestCert: true, rejectUnauthorized: true, ca: TEST_AUTHORITY.cert } as const;
const HTTP2_SETTINGS = Buffer.from('000000040000000000', 'hex');
const TLS_ALERT = Buffer.from('15030100020246', 'hex');

/** The paths of one attempt, and of a test, at a receiver of shop.test, or of another host. */
async function fail({ port }: Receiver, scheme = 'https', host = 'shop.test') {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const bench = new WebhookBench({ timeoutMs: AMPLE_MS, resolve, ca: TEST_AUTHORITY.cert });
  cleanup.push(() => bench.close());
  const owed = await bench.owe(`${scheme}://${host}:${port}/hook`);
  const outcome = await bench.destination.deliver(owed, new AbortController().signal);
  const [target] = await bench.destination.targets();
  if (target === undefined) throw new Error('no target');
  return { outcome, test: await bench.tester.test(target, null) };
}

describe('a webhook to a receiver behind TLS', () => {
  it.each<[string, string, string, RegExp, () => Promise<Receiver>, string?, string?]>([
    [
      'has an expired certificate',
      'tls',
      'CERT_HAS_EXPIRED',
      /expired.*renew/,
      () => tlsShop(certify({ name: 'shop.test', by: TEST_AUTHORITY, years: [2020, 2021] })),
    ],
    [
      'has a certificate that is not valid yet',
      'tls',
      'CERT_NOT_YET_VALID',
      /not valid yet/,
      () => tlsShop(certify({ name: 'shop.test', by: TEST_AUTHORITY, years: [2119, 2120] })),
    ],
    [
      'has a self-signed certificate',
      'tls',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      /self-signed/,
      () => tlsShop(certify({ name: 'shop.test' })),
    ],
    [
      'sends the root of an unknown authority',
      'tls',
      'SELF_SIGNED_CERT_IN_CHAIN',
      /NODE_EXTRA_CA_CERTS/,
      () => tlsShop({ ...BY_OTHER_ROOT, cert: chainOf(BY_OTHER_ROOT, OTHER_ROOT) }),
    ],
    [
      'has a certificate of an unknown authority',
      'tls',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      /not trusted here/,
      () => tlsShop({ ...BY_OTHER_MIDDLE, cert: chainOf(BY_OTHER_MIDDLE, OTHER_MIDDLE) }),
    ],
    [
      'sends no intermediate certificate',
      'tls',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      /sends no intermediate certificate: browsers hide this, most libraries don't/,
      () => tlsShop(BY_MIDDLE),
    ],
    [
      'has a certificate for another name',
      'tls',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      /another name/,
      () => tlsShop(certify({ name: 'other.test', by: TEST_AUTHORITY })),
    ],
    [
      'has its name as a common name only',
      'tls',
      'CERT_WITHOUT_ALT_NAME',
      /subjectAltName/,
      () => tlsShop(certify({ name: 'shop.test', by: TEST_AUTHORITY, hasAltName: false })),
    ],
    [
      'speaks TLS 1.1 at most',
      'tls',
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      /enable TLS 1\.2/,
      () => tlsShop(TLS_10_TO_11),
    ],
    [
      'speaks HTTP/2 only',
      'tls',
      'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
      /HTTP\/2 only/,
      () => listening(createSecureServer(SHOP)),
    ],
    [
      'speaks HTTP/2 whatever is agreed',
      'reset',
      'HTTP2_ONLY',
      /HTTP\/2 only/,
      () => tlsShop({}, (socket) => void socket.write(HTTP2_SETTINGS)),
    ],
    [
      'speaks plain HTTP',
      'tls',
      'ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)',
      /does not speak TLS/,
      () => rawShop(once((socket) => void socket.end(OK))),
    ],
    [
      'demands a client certificate by TLS 1.3',
      'tls',
      '(CLIENT_CERTIFICATE_DEMANDED|ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)',
      /client certificate/,
      () => tlsShop(DEMANDING),
    ],
    [
      'demands a client certificate by TLS 1.2',
      'tls',
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      /client certificate/,
      () => tlsShop({ ...DEMANDING, maxVersion: 'TLSv1.2' }),
    ],
    [
      'demands a client certificate, as nginx does',
      'status',
      'CLIENT_CERTIFICATE_DEMANDED',
      /client certificate/,
      () => httpsShop('<center>No required SSL certificate was sent</center>', SHOP),
    ],
    [
      'closes in the handshake',
      'reset',
      'TLS_HANDSHAKE_CLOSED',
      /in the TLS handshake/,
      () => rawShop(once((socket) => socket.resetAndDestroy())),
    ],
    [
      'is asked without TLS, and closes',
      'reset',
      'CLOSED_UNANSWERED',
      /must begin with https/,
      () => tlsShop({}),
      'http',
    ],
    [
      'is asked without TLS, and sends an alert',
      'reset',
      'HTTP_TO_TLS_PORT',
      /change it to https/,
      () => rawShop(once((socket) => void socket.end(TLS_ALERT))),
      'http',
    ],
    [
      'is asked without TLS, and speaks SSH',
      'reset',
      'UNREADABLE_ANSWER',
      /which program listens/,
      () => rawShop((socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n')),
      'http',
    ],
    [
      'is asked without TLS, and says so, as nginx does',
      'status',
      'HTTP_TO_TLS_PORT',
      /change it to https/,
      () => httpsShop('<h1>400 The plain HTTP request was sent to HTTPS port</h1>'),
      'http',
    ],
  ])('that %s: %s, %s', async (...[, failure, code, advice, start, scheme]) => {
    const { outcome, test } = await fail(await start(), scheme);
    const failed = { failure, code: expect.stringMatching(`^${code}$`) };
    expect(outcome).toMatchObject({ kind: 'failed', ...failed });
    expect(test).toMatchObject({ delivered: false, ...failed });
    expect(adviceOn(failure, test.code)).toMatch(advice);
  });

  it('is delivered where the whole chain comes, to a name without the trailing dot', async () => {
    const asked: (string | false | null)[] = [];
    const shop = await tlsShop({ ...BY_MIDDLE, cert: chainOf(BY_MIDDLE, MIDDLE) }, (socket) => {
      asked.push(socket.servername);
      socket.on('data', () => socket.write(OK));
    });
    expect(await fail(shop, 'https', 'shop.test.')).toMatchObject({ outcome: { kind: 'delivered' } });
    expect(asked).toContain('shop.test');
  });

  it('that does not finish the handshake: timeout', async () => {
    const bench = new WebhookBench({ timeoutMs: 500 });
    cleanup.push(() => bench.close());
    const owed = await bench.owe(`https://127.0.0.1:${(await rawShop(() => undefined)).port}/`);
    const outcome = await bench.destination.deliver(owed, new AbortController().signal);
    expect(outcome).toMatchObject({ failure: 'timeout', code: null });
  });
});
