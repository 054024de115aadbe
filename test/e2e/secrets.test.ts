import { expect, it } from '@jest/globals';

import { AppProcess } from '../support/app-process.ts';
import { brokerUrl } from '../support/broker.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { Stage } from '../support/stage.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { arrivalsAt, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const API_KEY = 'api-key-that-nobody-may-read';
const DATABASE_PASSWORD = 'database-password-that-nobody-may-read';
const BROKER_PASSWORD = 'broker-password-that-nobody-may-read';
const PROVIDER_KEY = 'provider-key-of-the-stage';
const ENCRYPTION_KEY = Buffer.from('an-encryption-key-of-32-bytes-ok').toString('base64');

function withPassword(url: string, password: string, user?: string): string {
  const changed = new URL(url);
  changed.password = password;
  if (user !== undefined) changed.username = user;
  return changed.href;
}

it('no log line, at the most talkative level and with every part failing, holds a secret', async () => {
  const stage = await Stage.open();
  const role = `paybell_secrets_${process.pid}`;
  await stage.database.query(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD '${DATABASE_PASSWORD}'`);
  const proxy = await TcpProxy.inFrontOf(stage.database.url, 5432);
  const app = await AppProcess.start(
    stage.env({
      LOG_LEVEL: 'trace',
      API_KEYS: `shop:${API_KEY}`,
      ENCRYPTION_KEY,
      DATABASE_URL: withPassword(proxy.through(stage.database.url), DATABASE_PASSWORD, role),
      RABBITMQ_URL: withPassword(brokerUrl(), BROKER_PASSWORD),
    }),
  );
  const headers = { 'x-api-key': API_KEY };
  const quote = () => app.fetch('/api/quote', { method: 'POST', body: quoteRequest(), headers });
  await app.waitReady();
  const body = { url: `${stage.shop.url}/hook` };
  const created = await app.fetch('/api/webhook-endpoints', { method: 'POST', body, headers });
  const { secret } = (await created.json()) as { secret: string };
  const { quoteId } = (await (await quote()).json()) as { quoteId: string };
  await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 1);

  stage.shop.answer(({ headers: got }) => ({ status: 500, body: JSON.stringify(got) }));
  stage.say([quoteId], 'DEPOSIT_RECEIVED');
  await waitFor(() => app.lines.some((line) => line.includes('deposit_received') && line.includes('failed')));
  await app.fetch('/api/chains', { headers: { authorization: `Bearer ${API_KEY}-not` } });
  await app.fetch(`/api/status/unknown?key=${API_KEY}`, { headers });
  await app.fetch('/api/quote', { method: 'POST', body: `{"key":"${API_KEY}`, headers });
  stage.provider.fail({ status: 401, body: `{"error":"bad key ${PROVIDER_KEY}"}` });
  await quote();
  await waitFor(() => app.lines.some((line) => line.includes('does not accept our key')));
  await stage.provider.down();
  await quote();
  proxy.cut();
  await waitFor(
    async () => (await quote()).status === 503 && (await fetch(`${app.url}/health/ready`)).status === 503,
  );
  proxy.heal();
  await app.waitReady();
  expect(await app.stop()).toBe(0);
  await stage.database.query(`DROP ROLE ${role}`);

  const text = app.lines.join('\n');
  expect(text).toContain('RabbitMQ is not usable');
  const secrets = { API_KEY, DATABASE_PASSWORD, BROKER_PASSWORD, PROVIDER_KEY, ENCRYPTION_KEY, secret };
  const published = Object.entries(secrets).filter(([, value]) => text.includes(value.replace('whsec_', '')));
  expect(published.map(([name]) => name)).toEqual([]);
  await proxy.close();
});
