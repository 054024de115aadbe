import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';

import { ApiKeyGuard } from '../../src/features/api-keys/api-key.guard.ts';
import { EnvKeys, hashOf } from '../../src/features/api-keys/env-keys.ts';
import { KeyCheck } from '../../src/features/api-keys/key-check.ts';
import { KeyThrottle } from '../../src/features/api-keys/key-throttle.ts';
import { ApiKeyVerifier } from '../../src/features/api-keys/api-key-verifier.ts';
import { NotedUses } from '../../src/features/api-keys/noted-uses.ts';
import type { Role } from '../../src/domain/access/role.ts';
import { OpenPaths } from '../../src/platform/http/open-paths.ts';
import { ApiDescription } from '../../src/platform/http/api-description.ts';
import { configureHttp } from '../../src/platform/http/configure-http.ts';
import { DocsController } from '../../src/platform/http/docs.controller.ts';
import type { OpenSetting } from '../../src/platform/http/open-route.ts';
import { NoSessions, SessionKeys } from '../../src/platform/http/session-keys.ts';
import { StructuredLogger } from '../../src/platform/process/logging.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { ApiKeys, KeyUses, KnownKeys, SentKeys, type StoredKey } from '../../src/ports/api-keys.ts';
import { Timers } from '../../src/ports/timers.ts';
import { WrongKeys } from '../../src/ports/wrong-keys.ts';
import { StoredKeys } from './stored-keys.ts';

export const ENV_KEY = 'a-key-of-the-environment';
export const STORED_KEY = 'pb_a-key-of-the-database';

/** A database with one key, which a test can revoke or make unreadable. */
export class OneStoredKey extends StoredKeys {
  role: Role | null = 'operator';
  override list(): Promise<StoredKey[]> {
    const { role } = this;
    const hash = hashOf(STORED_KEY).toString('hex');
    this.rows = role === null ? [] : [{ name: 'ops', hash, role, createdAt: new Date(0) }];
    return super.list();
  }
}

@Module({})
class ShellModule {}

/** The shell of the service around a test's controllers: real HTTP without a database. */
export class ShellApp {
  private constructor(
    readonly app: NestExpressApplication,
    readonly url: string,
    readonly storedKeys: OneStoredKey,
    private readonly lines: string[],
  ) {}

  static async start(
    controllers: Type[],
    providers: Provider[] = [],
    { unreadMs, open = ['docs', 'metrics'] }: { unreadMs?: number; open?: OpenSetting[] } = {},
  ): Promise<ShellApp> {
    const lines: string[] = [];
    const storedKeys = new OneStoredKey();
    const logger = new StructuredLogger('trace', { write: (line: string) => void lines.push(line) });
    const module: DynamicModule = {
      module: ShellModule,
      controllers: [...controllers, DocsController],
      providers: [
        ApiDescription,
        { provide: OpenPaths, useValue: new OpenPaths(new Set(open)) },
        { provide: EnvKeys, useValue: new EnvKeys([{ name: 'shop', secret: ENV_KEY }]) },
        { provide: ApiKeys, useValue: storedKeys },
        { provide: Timers, useValue: SYSTEM_TIMERS },
        ApiKeyVerifier,
        { provide: KnownKeys, useExisting: ApiKeyVerifier },
        { provide: SentKeys, useClass: KeyThrottle },
        { provide: WrongKeys, useValue: { addTries: async () => new Map() } },
        { provide: SessionKeys, useClass: NoSessions },
        { provide: KeyUses, useValue: { noteUse: () => Promise.resolve() } },
        NotedUses,
        KeyCheck,
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        ...providers,
      ],
    };
    const app = await NestFactory.create<NestExpressApplication>(module, {
      logger,
      bodyParser: false,
      abortOnError: false,
    });
    configureHttp(app, app.get(KeyCheck), unreadMs);
    app.get(ApiDescription).describe(app);
    await app.listen(0, '127.0.0.1');
    return new ShellApp(app, await app.getUrl(), storedKeys, lines);
  }

  /** A request with the environment's key, unless headers say otherwise. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has('x-api-key')) headers.set('x-api-key', ENV_KEY);
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  async post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
    return this.ask(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  /** The log lines, as objects. */
  get logged(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async stop(): Promise<void> {
    await this.app.close();
  }
}
