import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

import { CHROMIUM, CHROMIUM_ARGS } from '../../../tools/testkit/chromium.ts';
import type { PaybellService } from '../../../tools/testkit/paybell-process.ts';
import { TcpProxy } from '../../../tools/testkit/tcp-proxy.ts';
import { ReceivedBytes } from './received-bytes.ts';

const WAIT_MS = 30_000;
const VIEWPORT = { width: 1_280, height: 900 };
/** The data that a script of the page could read and send away. */
const READABLE =
  'JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}, document.documentElement.outerHTML])';

/** The cookies of a session; the browser has those of one session at a time. */
type Session = Awaited<ReturnType<BrowserContext['cookies']>>;

/** The dashboard of a Paybell in a real browser: one page, on which each of the keys may be signed in. */
export class Dashboard {
  /** The page's complaints: errors of scripts, and refusals by its Content-Security-Policy. */
  readonly complaints: string[] = [];
  readonly received = new ReceivedBytes();
  /** The data that scripts could read at the end of each test. */
  readonly readable: string[] = [];
  private readonly sessions = new Map<string, Session>();
  private visitor: string | null = null;

  private constructor(
    readonly app: PaybellService,
    readonly proxy: TcpProxy,
    private readonly browser: Browser,
    private readonly page: Page,
  ) {
    proxy.tapAnswers(this.received.newTap);
    this.context.on('weberror', (error) => this.complaints.push(error.error().message));
    this.context.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) this.complaints.push(message.text());
    });
  }

  static async open(app: PaybellService): Promise<Dashboard> {
    const proxy = await TcpProxy.start({ port: app.port });
    const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: CHROMIUM_ARGS });
    const context = await browser.newContext({
      viewport: VIEWPORT,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    return new Dashboard(app, proxy, browser, page);
  }

  get url(): string {
    return `http://127.0.0.1:${this.proxy.port}`;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.proxy.close();
  }

  /** Loads the page anew at a path below /dashboard, signed in with this key, and waits for its content. */
  async visit(path: string, key = this.app.apiKey): Promise<Page> {
    const isSignedIn = this.visitor === key && (await this.context.cookies()).length > 0;
    if (!isSignedIn) await this.become(key);
    return this.load(path);
  }

  /** Loads the page without a signed-in person. */
  async visitUnknown(path: string): Promise<Page> {
    await this.leave();
    return this.load(path);
  }

  /** The key's session has ended: the next visit signs in again. */
  forget(key: string): void {
    this.sessions.delete(key);
    if (this.visitor === key) this.visitor = null;
  }

  /** Keeps all that scripts can read at this moment. */
  async keepReadable(): Promise<void> {
    this.readable.push(await this.page.evaluate<string>(READABLE));
  }

  private get context(): BrowserContext {
    return this.page.context();
  }

  private async load(path: string): Promise<Page> {
    await this.page.setViewportSize(VIEWPORT);
    await this.page.goto(`${this.url}/dashboard${path}`);
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    await this.page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
    return this.page;
  }

  /** Keeps the browser's present cookies: a test may have signed out, or signed in again. */
  private async leave(): Promise<void> {
    const cookies = await this.context.cookies();
    if (this.visitor !== null && cookies.length > 0) this.sessions.set(this.visitor, cookies);
    else if (this.visitor !== null) this.sessions.delete(this.visitor);
    this.visitor = null;
    await this.context.clearCookies();
  }

  private async become(key: string): Promise<void> {
    await this.leave();
    const session = this.sessions.get(key);
    if (session === undefined) await this.signIn(key);
    else await this.context.addCookies(session);
    this.visitor = key;
  }

  private async signIn(key: string): Promise<void> {
    const answer = await this.context.request.post(`${this.url}/dashboard/session`, {
      form: { key },
      headers: { origin: this.url, accept: 'application/json' },
    });
    if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}: ${await answer.text()}`);
  }
}
