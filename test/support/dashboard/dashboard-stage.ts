import { afterAll, afterEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { API_KEY } from '../app-process.ts';
import type { SharedService } from '../shared-process.ts';
import { jsonOf, Stage } from '../stage.ts';
import { SANDBOX } from '../suites/sandbox-stories.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { Dashboard } from './dashboard.ts';
import { Secrets } from './secrets.ts';

/** A key for each role; the tests' own requests use the administrator's. */
export const ROLE_KEYS = {
  viewer: 'viewer-key-0123456789abcdef',
  shop: 'shop-key-0123456789abcdef',
  operator: 'operator-key-0123456789abcdef',
  admin: API_KEY,
} as const;
export type RoleName = keyof typeof ROLE_KEYS;

const DATABASE_PASSWORD = 'database-password-of-the-dashboard';
const ENCRYPTION_KEY = Buffer.from('the-dashboard-tests-encrypt-well').toString('base64');
const SETTINGS = {
  ...SANDBOX,
  SANDBOX_SPEED: '50',
  LOG_LEVEL: 'debug',
  ENCRYPTION_KEY,
  API_KEYS: Object.entries(ROLE_KEYS)
    .map(([role, key]) => `${role === 'admin' ? 'test' : role}:${key}:${role}`)
    .join(','),
};

interface AttentionItem {
  readonly code: string;
  readonly payments?: { readonly count: number };
}

/** Puts a proxy before the database; returns the URL by which Paybell reaches it. */
type DatabaseRoute = (url: string) => Promise<string>;

/** A Paybell in its sandbox with a shop, and its dashboard in a browser, for all tests of a file. */
export class DashboardStage {
  readonly secrets = new Secrets();
  /** The output of the processes before the present one. */
  private readonly formerLog: string[] = [];

  private constructor(
    readonly stage: Stage,
    public app: SharedService,
    readonly dashboard: Dashboard,
    private readonly settings: Readonly<Record<string, string>>,
  ) {
    for (const [role, key] of Object.entries(ROLE_KEYS)) this.secrets.keep(`the key of the ${role}`, key);
    this.secrets.keep('the database password', new URL(settings['DATABASE_URL'] ?? '').password);
    this.secrets.keep('the encryption key', ENCRYPTION_KEY);
    this.secrets.keep("the provider's key", 'provider-key-of-the-stage');
  }

  static async open(more: Record<string, string> = {}, route?: DatabaseRoute): Promise<DashboardStage> {
    const stage = await Stage.open();
    const database = new URL((await route?.(stage.database.url)) ?? stage.database.url);
    if (database.password === '') database.password = DATABASE_PASSWORD;
    const settings = { ...SETTINGS, DATABASE_URL: database.href, ...more };
    const app = await stage.startWarm(settings);
    return new DashboardStage(stage, app, await Dashboard.open(app), settings);
  }

  /** Everything that was printed. */
  get log(): readonly string[] {
    return [...this.formerLog, ...this.app.lines];
  }

  /** A further replica on the same database. */
  startReplica(): Promise<SharedService> {
    return this.stage.startWarm(this.settings);
  }

  /** Starts Paybell again after a kill, at the same address. */
  async startAgain(): Promise<void> {
    this.formerLog.push(...this.app.lines);
    this.app = await this.stage.startWarm({ ...this.settings, PORT: String(this.app.port) });
  }

  visit(path: string, role: RoleName = 'admin'): Promise<Page> {
    return this.dashboard.visit(path, ROLE_KEYS[role]);
  }

  /** Quotes a payment of this order, whose amount chooses its story. */
  quote(orderId: string, amount: string): Promise<string> {
    return this.stage.quote(this.app, { orderId, amount, metadata: { shop: 'eu' } });
  }

  /** Makes the deposit of a payment in a sandbox where payers pay only by hand. */
  async pay(quoteId: string): Promise<void> {
    const answer = await this.app.fetch(`/sandbox/payments/${quoteId}/deposit`, { method: 'POST' });
    if (!answer.ok) throw new Error(`the deposit answered ${answer.status}: ${await answer.text()}`);
  }

  async read(path: string): Promise<Record<string, unknown>> {
    return jsonOf(await this.app.fetch(path), 200);
  }

  /** The items of a list of the API. */
  async list<Item = { readonly id: string }>(path: string): Promise<Item[]> {
    return (await this.read(path))['data'] as Item[];
  }

  async whenAt(quoteId: string, status: string): Promise<void> {
    const isThere = async () => (await this.read(`/api/payments/${quoteId}`))['status'] === status;
    await waitFor(isThere, { everyMs: 100, what: `${quoteId} to be ${status}` });
  }

  /** Waits until each of these codes is an item of attention; the answer may be some seconds old. */
  async whenNeeded(...codes: readonly string[]): Promise<void> {
    for (const code of codes) {
      const isThere = async () => (await this.attentionItems()).some((item) => item.code === code);
      await waitFor(isThere, { timeoutMs: 60_000, everyMs: 200, what: code });
    }
  }

  /** Waits until this many payments have events that no destination has acknowledged. */
  async whenUnacknowledged(count: number): Promise<void> {
    const areThere = async () =>
      (await this.attentionItems()).find(({ code }) => code === 'endpoints_failing')?.payments?.count ===
      count;
    await waitFor(areThere, {
      everyMs: 200,
      what: `${count} payments that nobody has acknowledged`,
    });
  }

  /** Waits until an endpoint has acknowledged this many events. */
  async whenDelivered(endpointId: string, count: number): Promise<void> {
    const path = `/api/webhook-deliveries?endpointId=${endpointId}&state=delivered`;
    const areThere = async () => (await this.list(path)).length >= count;
    await waitFor(areThere, { everyMs: 100, what: `${count} deliveries` });
  }

  /** Waits until an endpoint has refused an event of an order, and its next attempt is far away. */
  async whenFailed(endpointId: string, orderId: string): Promise<void> {
    const path = `/api/webhook-deliveries?endpointId=${endpointId}&orderId=${orderId}&state=pending`;
    const isTried = async () =>
      (await this.list<{ attemptCount: number }>(path)).some(({ attemptCount }) => attemptCount > 1);
    await waitFor(isTried, { everyMs: 100, what: `two attempts of ${orderId}` });
  }

  /** Adds an endpoint without the dashboard; returns its id. */
  async addEndpoint(description: string, url = `${this.stage.shop.url}/paybell`): Promise<string> {
    const body = { url, description };
    const answer = await this.app.fetch('/api/webhook-endpoints', { method: 'POST', body });
    const { id, secret } = (await jsonOf(answer, 201)) as { id: string; secret: string };
    this.secrets.keep(`the secret of ${description}`, secret);
    return id;
  }

  async disable(endpointId: string): Promise<void> {
    const path = `/api/webhook-endpoints/${endpointId}`;
    await jsonOf(await this.app.fetch(path, { method: 'PATCH', body: { enabled: false } }), 200);
  }

  /** Creates a viewer's key without the dashboard. */
  async addKey(name: string): Promise<void> {
    const answer = await this.app.fetch('/api/keys', { method: 'POST', body: { name, role: 'viewer' } });
    this.secrets.keep(`the key ${name}`, String((await jsonOf(answer, 201))['key']));
  }

  private async attentionItems(): Promise<readonly AttentionItem[]> {
    return (await this.read('/api/attention'))['items'] as readonly AttentionItem[];
  }
}

/** Closes the browser after the file, and ends its suite with the checks that hold for all tests together. */
export function watchOver(staged: () => DashboardStage): void {
  afterEach(() => staged().dashboard.keepReadable());
  afterAll(() => staged().dashboard.close());
}

/** The last two tests of each file. */
export function describeTheWhole(staged: () => DashboardStage): void {
  it('did nothing of all this that its Content-Security-Policy forbids, and threw no error', () => {
    expect(staged().dashboard.complaints).toEqual([]);
  });

  it('let no key, secret or password into an answer, a page, a store of the browser or the log', () => {
    const { secrets, dashboard, log } = staged();
    const tokens = dashboard.received.sessionTokens;
    for (const token of tokens) secrets.keepShownOnce('the token of a session', token);
    expect(tokens.length).toBeGreaterThan(0);
    expect(dashboard.received.texts.join('').length).toBeGreaterThan(100_000);
    expect(dashboard.readable.length).toBeGreaterThan(3);
    expect(log.length).toBeGreaterThan(10);
    expect(secrets.leaks(dashboard, log)).toEqual([]);
  });
}
