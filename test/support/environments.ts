import { readFileSync } from 'node:fs';

import { parse } from 'yaml';

type Env = Record<string, string>;

const KEY = Buffer.alloc(32, 7).toString('base64');

/** The output of `env` in an ordinary login shell with a few developers' tools. */
export const LOGIN_SHELL: Env = {
  LOGNAME: 'shop',
  HOSTNAME: 'shop-1',
  HOSTTYPE: 'x86_64',
  LANG: 'en_US.UTF-8',
  LC_ALL: 'C.UTF-8',
  LC_TIME: 'de_DE.UTF-8',
  LANGUAGE: 'en_US:en',
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
  LS_COLORS: 'rs=0:di=01;34',
  DISPLAY: ':0',
  XDG_DATA_DIRS: '/usr/local/share:/usr/share',
  XDG_DATA_HOME: '/home/shop/.local/share',
  XDG_RUNTIME_DIR: '/run/user/1000',
  SSH_CLIENT: '10.0.0.9 51234 22',
  SSH_AUTH_SOCK: '/tmp/ssh/agent.1',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
  DEBUG: 'express:*',
  LOG: 'all',
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_API_URL: 'https://api.github.com',
  GITHUB_EVENT_NAME: 'push',
  RUNNER_OS: 'Linux',
  NODE_ENV: 'production',
  NODE_VERSION: '24.1.0',
  npm_config_loglevel: 'notice',
  npm_config_cache: '/home/shop/.npm',
  npm_package_name: 'paybell',
  npm_lifecycle_event: 'start',
  HTTP_PROXY: 'http://proxy.example:3128',
  https_proxy: 'http://proxy.example:3128',
  NO_PROXY: 'localhost,127.0.0.1',
  API_KEY: 'of another program',
  DATA_DIRS: '/srv/data',
  DATABASE: 'shop',
  DATABASE_HOST: 'db.example',
  DATABASE_NAME: 'shop',
  DATABASE_PASSWORD: 'secret',
  RABBITMQ_HOST: 'mq.example',
  RABBITMQ_USER: 'shop',
  RABBITMQ_NODENAME: 'rabbit@mq',
  WEBHOOK_URL: 'https://shop.example/hooks',
  WEBHOOK_SECRET: 'secret',
  PUBLIC_KEY: 'of another program',
  ROLE_NAME: 'web',
  PGHOST: 'db.example',
  PGUSER: 'shop',
  PGPASSWORD: 'secret',
  PGDATABASE: 'shop',
  PAYBELL_PORT: '3000',
  PAYBELL_API_KEY: 'of the shop',
};

/** The variables that Kubernetes sets in each pod for services of these names. */
export function podWith(services: Readonly<Record<string, number>>): Env {
  const pairs = Object.entries(services).flatMap(([service, port]) => {
    const name = service.toUpperCase().replaceAll('-', '_');
    const url = `tcp://10.96.0.9:${port}`;
    return [
      [`${name}_SERVICE_HOST`, '10.96.0.9'],
      [`${name}_SERVICE_PORT`, `${port}`],
      [`${name}_SERVICE_PORT_MAIN`, `${port}`],
      [`${name}_PORT`, url],
      [`${name}_PORT_${port}_TCP`, url],
      [`${name}_PORT_${port}_TCP_PROTO`, 'tcp'],
      [`${name}_PORT_${port}_TCP_PORT`, `${port}`],
      [`${name}_PORT_${port}_TCP_ADDR`, '10.96.0.9'],
    ];
  });
  return Object.fromEntries(pairs) as Env;
}

export const POD: Env = {
  ...podWith({
    kubernetes: 443,
    rabbitmq: 5672,
    'rabbitmq-url': 5672,
    postgres: 5432,
    database: 5432,
    'database-url': 5432,
    paybell: 3000,
    provider: 443,
    'provider-auth': 443,
    relay: 443,
    webhook: 443,
    sandbox: 80,
    event: 80,
    log: 80,
    'api-keys': 80,
    metrics: 9090,
  }),
  HOSTNAME: 'paybell-7d4b9c-x2x9z',
  KUBERNETES_SERVICE_PORT_HTTPS: '443',
};

/** Every variable in docker-compose.yml, of all its services, and in .env.example, commented ones included. */
export function composeEnvironment(): Env {
  const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  const compose = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const { services } = parse(compose) as { services: Record<string, { environment?: Env }> };
  const shown = [...example.matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  return {
    ...(Object.fromEntries(shown) as Env),
    ...Object.assign({}, ...Object.values(services).map(({ environment }) => environment ?? {})),
    POSTGRES_PASSWORD: 'secret',
    RABBITMQ_PASSWORD: 'secret',
    DATABASE_URL: 'postgres://paybell:secret@127.0.0.1:1/paybell',
    RABBITMQ_URL: 'amqp://paybell:secret@127.0.0.1:1',
    API_KEYS: 'shop:0123456789abcdef0123',
    ENCRYPTION_KEY: KEY,
  };
}
