import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

import { CHROMIUM, CHROMIUM_ARGS } from '../../../tools/testkit/chromium.ts';
import type { PaybellService } from '../../../tools/testkit/paybell-process.ts';

const WAIT_MS = 10_000;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The dashboard of a Paybell in a real browser. */
export class Dashboard {
  /** What the pages reported: errors of scripts, and what their Content-Security-Policy refused. */
  readonly complaints: string[] = [];

  private constructor(
    readonly app: PaybellService,
    private readonly browser: Browser,
  ) {}

  get url(): string {
    return this.app.url;
  }

  static async open(app: PaybellService): Promise<Dashboard> {
    const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: CHROMIUM_ARGS });
    return new Dashboard(app, browser);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  /** A browser of its own, signed in, at a path below /dashboard. */
  async visit(path: string, { width = 1_280, height = 900, key = this.app.apiKey } = {}): Promise<Page> {
    const page = await this.visitUnknown(path, { width, height });
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  /** The same, not signed in. */
  async visitUnknown(path: string, viewport = { width: 1_280, height: 900 }): Promise<Page> {
    const context = await this.browser.newContext({
      viewport,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    this.listenTo(context);
    await page.goto(`${this.url}/dashboard${path}`);
    return page;
  }

  private listenTo(context: BrowserContext): void {
    context.on('weberror', (error) => this.complaints.push(error.error().message));
    context.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) this.complaints.push(message.text());
    });
  }
}

/** What axe finds against a page, by rule, with the parts that break it. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Violation[] }>('window.axe.run()');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** How far a page can be scrolled sideways, in pixels. */
export function sidewaysOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
