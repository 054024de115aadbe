import { AsyncLocalStorage } from 'node:async_hooks';

import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { finalize, type Observable } from 'rxjs';

import type { Role } from '../../domain/access/role.ts';
import type { KeyedRequest } from './keyed-request.ts';

/** The roles that may use a route, by what the route does. */
export const ACCESS = {
  /** Reads payments, events, chains and currencies. */
  read: ['shop', 'viewer', 'operator', 'admin'],
  /** Creates quotes and payers' links, and pays in the sandbox. */
  submit: ['shop', 'admin'],
  /** Tracks payments and names their orders. */
  track: ['shop', 'operator', 'admin'],
  /** Asks the provider about a payment now. */
  refresh: ['shop', 'operator', 'admin'],
  /** Reads endpoints, deliveries, figures and the provider's state. */
  inspect: ['viewer', 'operator', 'admin'],
  /** Retries deliveries, replays events, tests endpoints, resolves payments, changes the orders of completed payments. */
  repair: ['operator', 'admin'],
  /** Changes endpoints, keys and sessions, reads the audit log. */
  manage: ['admin'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export const ALLOWED = 'paybell:allowed';
export const AUDITED = 'paybell:audited';
/** The key in the OpenAPI document under which an operation lists its roles. */
export const ROLES_EXTENSION = 'x-roles';

/** Names the roles that may use a controller or handler; a route without it is refused. */
export const Allow = (roles: readonly Role[]): ReturnType<typeof applyDecorators> =>
  applyDecorators(SetMetadata(ALLOWED, roles), ApiExtension(ROLES_EXTENSION, [...roles]));

/** How the audit log records a handler's calls. */
export interface AuditedRoute {
  readonly action: string;
  /** The field of the body that names the changed object, if the path does not name it. */
  readonly bodyField?: string;
  /** The field of the answer that names it, if the change itself creates the name. */
  readonly answerField?: string;
}

/** Work to do before the handler of the current request runs. */
const beforeHandler = new AsyncLocalStorage<() => Promise<void>>();
let running = 0;

/**
 * Calls `handle`, and within it `begin` before the audited handler. While an AsyncLocalStorage is in use, Node calls a hook
 * for each promise of the process: the last request that needs the storage switches it off.
 */
export function runAudited<Answer>(
  begin: () => Promise<void>,
  handle: () => Observable<Answer>,
): Observable<Answer> {
  running += 1;
  return beforeHandler.run(begin, handle).pipe(
    finalize(() => {
      running -= 1;
      if (running === 0) beforeHandler.disable();
    }),
  );
}

/**
 * Writes each call of a handler to the audit log, under a name such as `endpoint.create`. A request that is refused before
 * the handler runs changes nothing: only when its arguments are known is the request valid.
 */
export function Audited(action: string, target: Omit<AuditedRoute, 'action'> = {}): MethodDecorator {
  return (_prototype, name, descriptor: PropertyDescriptor) => {
    const handler = descriptor.value as (...args: unknown[]) => unknown;
    const audited = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
      await beforeHandler.getStore()?.();
      return handler.apply(this, args);
    };
    Object.defineProperty(audited, 'name', { value: String(name) });
    // Keeps the descriptions that the decorators below this one have set on the handler.
    for (const key of Reflect.getMetadataKeys(handler))
      Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), audited);
    Reflect.defineMetadata(AUDITED, { action, ...target } satisfies AuditedRoute, audited);
    descriptor.value = audited;
  };
}

/** The role of the request's API key may not use this route. */
export class Forbidden extends Error {
  readonly code = 'forbidden';
  constructor({ apiKeyName, role }: KeyedRequest, allowed: readonly Role[]) {
    const needed = allowed.length === 0 ? 'a role that no key has' : `the role ${allowed.join(' or ')}`;
    super(`This needs ${needed}. The API key "${apiKeyName}" has the role ${role}.`);
  }
}
