import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { Stage } from '../support/stage.ts';
import { SHOP_CERTIFICATE, SHOP_KEY } from '../support/tls-certificates.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { startTcpReceiver, type TcpReceiver } from '../support/tcp-receiver.ts';

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

describe('webhooks of a process whose environment says otherwise', () => {
  const cleanup: (() => Promise<void>)[] = [];
  let stage: Stage;
  let app: AppProcess;
  let proxy: TcpReceiver;

  beforeAll(async () => {
    proxy = await startTcpReceiver((socket) => socket.destroy());
    const proxies = Object.fromEntries(NAMES.map((name) => [name, `http://127.0.0.1:${proxy.port}`]));
    stage = await Stage.open();
    const env = { ...proxies, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' };
    app = await stage.start({ ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  });
  afterEach(async () => {
    for (const step of cleanup.splice(0).reverse()) await step();
  });
  afterAll(async () => {
    expect(await app.stop()).toBe(0);
    await proxy.close();
  });

  it('go past every proxy that it names', async () => {
    await stage.addShop(app);
    await stage.quote(app);
    await stage.shop.waitForCount(1);
    expect(proxy.connections()).toBe(0);
  });

  it('go to no receiver whose certificate cannot be verified', async () => {
    const certificate = { cert: SHOP_CERTIFICATE, key: SHOP_KEY };
    const impostor = await HttpReceiver.start(() => ({ status: 200 }), { tls: certificate });
    cleanup.push(() => impostor.close());
    await stage.addShop(app, `https://127.0.0.1:${impostor.port}/`);
    await stage.quote(app);
    await waitFor(() => app.lines.some((line) => /failed \(tls\)/.test(line)), { what: 'a failed attempt' });
    expect(impostor.requests).toEqual([]);
    expect(proxy.connections()).toBe(0);
  });
});
