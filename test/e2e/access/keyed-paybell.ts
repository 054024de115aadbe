import { ROLES, type Role } from '../../../src/domain/access/role.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { Stage } from '../../support/stage.ts';
import { SANDBOX } from '../../support/suites/sandbox-stories.ts';

/** The secrets of the keys of API_KEYS, one for each role, which is also the key's name. */
export const SECRETS = Object.fromEntries(ROLES.map((role) => [role, `secret-of-the-${role}-key`])) as Record<
  Role,
  string
>;

interface KeyedPaybell {
  readonly stage: Stage;
  readonly app: SharedService;
}

let opened: Promise<KeyedPaybell> | undefined;

/** One running Paybell in its sandbox, with a key of each role; payers pay only by hand. */
export function keyedPaybell(): Promise<KeyedPaybell> {
  opened ??= open();
  return opened;
}

async function open(): Promise<KeyedPaybell> {
  const stage = await Stage.open();
  const keys = ROLES.map((role) => `${role}:${SECRETS[role]}:${role}`).join(',');
  const app = await stage.startWarm({
    ...SANDBOX,
    SANDBOX_AUTOPAY: 'false',
    API_KEYS: keys,
    LOG_LEVEL: 'trace',
  });
  return { stage, app };
}

/** Sends a request with this key, or without one; a body is sent as JSON. */
export function ask(
  app: SharedService,
  secret: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return fetch(`${app.url}${path}`, {
    method,
    headers: {
      ...(secret === null ? {} : { 'x-api-key': secret }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
