import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { ROLES } from '../../src/domain/access/role.ts';
import { ACCESS, ALLOWED, AUDITED } from '../../src/platform/http/access.ts';
import { API_TAGS } from '../../src/platform/http/openapi.ts';
import { OPEN } from '../../src/platform/http/open-route.ts';

const SOURCE = join(import.meta.dirname, '../../src');
const SAFE = new Set([RequestMethod.GET, RequestMethod.HEAD, RequestMethod.OPTIONS, RequestMethod.ALL]);

/** Unsafe routes without an audit log: they only ask the provider, or payments and events record their effect. */
const NOT_AUDITED = new Set([
  'QuotesController.quote',
  'QuotesController.currencies',
  'PaymentsController.refresh',
  'RelayNoticeController.take',
  // These routes write to the audit log themselves: they learn the session's owner only later.
  'SignInController.signIn',
  'SignInController.signOut',
]);

/** The first words of operation ids, by which generated clients name their methods. */
const VERBS =
  'cancel count create delete end get list refresh release resolve retry revoke rotate search stream submit test track unresolve update';
const OPERATION_ID = new RegExp(`^(?:${VERBS.replaceAll(' ', '|')})[A-Z]\\w+$`);

interface Route {
  readonly name: string;
  readonly isOpen: boolean;
  readonly allowed: readonly string[] | undefined;
  readonly isUnsafe: boolean;
  readonly isAudited: boolean;
  /** The route is not in /openapi.json. */
  readonly isHidden: boolean;
  readonly tags: readonly string[];
  readonly operation: { readonly operationId?: string; readonly summary?: string };
}

type Handlers = Record<string, object>;

function routesOf(controller: { name: string; prototype: Handlers }): Route[] {
  const handlers = Object.entries(Object.getOwnPropertyDescriptors(controller.prototype));
  return handlers.flatMap(([name, { value }]): Route[] => {
    const method = (typeof value === 'function' ? Reflect.getMetadata(METHOD_METADATA, value) : undefined) as
      | RequestMethod
      | undefined;
    if (method === undefined) return [];
    const of = (key: string): unknown =>
      Reflect.getMetadata(key, value) ?? Reflect.getMetadata(key, controller);
    return [
      {
        name: `${controller.name}.${name}`,
        isOpen: of(OPEN) === true,
        allowed: of(ALLOWED) as readonly string[] | undefined,
        isUnsafe: !SAFE.has(method),
        isAudited: of(AUDITED) !== undefined,
        isHidden: ['Controller', 'Endpoint'].some((what) => of(`swagger/apiExclude${what}`) !== undefined),
        tags: (of('swagger/apiUseTags') as string[] | undefined) ?? [],
        operation: (of('swagger/apiOperation') as Route['operation'] | undefined) ?? {},
      },
    ];
  });
}

function missingOf({ name, tags, operation: { operationId = '', summary = '' } }: Route): string[] {
  const isDeclared = tags.length === 1 && API_TAGS.some((tag) => tag.name === tags[0]);
  return [
    ...(summary === '' ? [`${name}: @ApiOperation needs a summary`] : []),
    ...(OPERATION_ID.test(operationId)
      ? []
      : [`${name}: @ApiOperation needs an operationId such as getPayment, that begins with ${VERBS}`]),
    ...(isDeclared ? [] : [`${name}: @ApiTags needs one tag of src/platform/http/openapi.ts`]),
  ];
}

describe('every route', () => {
  let routes: Route[] = [];

  beforeAll(async () => {
    const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
    const files = sources.filter((file) => file.endsWith('.controller.ts'));
    const modules: object[] = [];
    // Imports one after another: the modules share most of their imports.
    for (const file of files) modules.push((await import(join(SOURCE, file))) as object);
    const controllers = modules
      .flatMap((module) => Object.values(module) as unknown[])
      .filter((each) => typeof each === 'function' && Reflect.hasMetadata(PATH_METADATA, each));
    routes = controllers.flatMap((each) => routesOf(each as { name: string; prototype: Handlers }));
  });

  it('is found here', () => {
    expect(routes.length).toBeGreaterThan(35);
  });

  it('is open, or names the roles that may use it: one without them would be refused to all', () => {
    const forgotten = routes.filter(({ isOpen, allowed = [] }) => !isOpen && allowed.length === 0);
    expect(forgotten.map(({ name }) => name)).toEqual([]);
  });

  it('names roles by what it does, and admits admin', () => {
    const known: readonly (readonly string[])[] = Object.values(ACCESS);
    const odd = routes.filter(({ allowed }) => allowed !== undefined && !known.includes(allowed));
    expect(odd.map(({ name }) => name)).toEqual([]);
    for (const roles of known) {
      expect(roles).toContain('admin');
      expect(roles).toEqual(ROLES.filter((role) => roles.includes(role)));
    }
  });

  it('has a summary, a declared tag, and an operation id of its own that begins with a verb', () => {
    const described = routes.filter(({ isHidden }) => !isHidden);
    expect(described.flatMap(missingOf)).toEqual([]);
    const ids = described.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('that changes something is in the audit log, and no other', () => {
    const unsafe = routes.filter(({ isUnsafe }) => isUnsafe);
    const silent = unsafe.filter(({ isAudited }) => !isAudited).map(({ name }) => name);
    expect(silent.toSorted()).toEqual([...NOT_AUDITED].toSorted());
    expect(routes.filter((route) => route.isAudited && !route.isUnsafe)).toEqual([]);
  });
});
