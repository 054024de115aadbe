/** Dashboards that are open: the requests that each screen makes are recorded in Chromium, and made again by HTTP for many. */
import { pause } from './pause.js';

/** Loading a page is over by then. */
const LOADED_MS = 3_000;
/** The slowest request of a screen comes every half a minute. */
const RECORDED_MS = 60_000;
const STREAM = '/api/events/stream';

/** @typedef {{ atMs: number, path: string, accept: string }} Asked */
/** @typedef {{ requests: Asked[], hasStream: boolean }} Screen */

export class OpenDashboards {
  /** @param {string} url @param {string} cookie @param {Screen[]} screens */
  constructor(url, cookie, screens) {
    this.url = url;
    this.cookie = cookie;
    this.screens = screens;
    /** How long they have been open, over all rounds. */
    this.openMs = 0;
    this.requests = 0;
    this.failures = 0;
  }

  /**
   * Opens each screen for a minute, all at once.
   * @param {import('playwright-core').BrowserContext} context signed in @param {string} url @param {string[]} paths
   */
  static async record(context, url, paths) {
    const recorded = await Promise.all(paths.map((path) => recordScreen(context, `${url}/dashboard${path}`)));
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    return new OpenDashboards(url, cookie, recorded);
  }

  /** Requests a minute of one of them, on the average. */
  get requestsPerMinute() {
    const all = this.screens.reduce((sum, { requests }) => sum + requests.length, 0);
    return (all * 60_000) / RECORDED_MS / this.screens.length;
  }

  /** Keeps `count` of them open while `measure` runs, evenly spread over the screens and over their minutes. */
  async whileOpen(/** @type {number} */ count, /** @type {() => Promise<number>} */ measure) {
    const closing = new AbortController();
    const from = this.openMs;
    const startedAt = performance.now();
    const dashboards = Array.from({ length: count }, (_, index) =>
      this.keepOpen(index, count, from, closing.signal),
    );
    try {
      return await measure();
    } finally {
      this.openMs += performance.now() - startedAt;
      closing.abort();
      await Promise.all(dashboards);
    }
  }

  async keepOpen(
    /** @type {number} */ index,
    /** @type {number} */ count,
    /** @type {number} */ fromMs,
    /** @type {AbortSignal} */ signal,
  ) {
    const screen = this.screens[index % this.screens.length];
    if (screen === undefined) return;
    const stream = screen.hasStream ? this.ask({ path: STREAM, accept: 'text/event-stream' }, signal) : null;
    const begin = (fromMs + (index * RECORDED_MS) / count) % RECORDED_MS;
    const startedAt = performance.now();
    const asked = [];
    for (const { inMs, request } of following(screen.requests, begin)) {
      const left = inMs - (performance.now() - startedAt);
      if (left > 0) await slept(left, signal);
      if (signal.aborted) break;
      asked.push(this.ask(request, signal));
    }
    await Promise.all([stream, ...asked]);
  }

  async ask(
    /** @type {{ path: string, accept: string }} */ { path, accept },
    /** @type {AbortSignal} */ signal,
  ) {
    try {
      const answer = await fetch(this.url + path, { headers: { accept, cookie: this.cookie }, signal });
      this.requests += 1;
      if (!answer.ok) this.failures += 1;
      await answer.body?.pipeTo(new WritableStream());
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** Without end: what comes after a moment of the minute, and after which time each. */
function* following(/** @type {Asked[]} */ requests, /** @type {number} */ beginMs) {
  const sorted = requests.toSorted((one, other) => one.atMs - other.atMs);
  for (let minute = 0; sorted.length > 0; minute += 1)
    for (const request of sorted) {
      const inMs = request.atMs + minute * RECORDED_MS - beginMs;
      if (inMs >= 0) yield { inMs, request };
    }
}

/** @param {number} ms @param {AbortSignal} signal */
async function slept(ms, signal) {
  await new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done(undefined);
    });
  });
}

/** @param {import('playwright-core').BrowserContext} context @param {string} url @returns {Promise<Screen>} */
async function recordScreen(context, url) {
  const page = await context.newPage();
  /** @type {Asked[]} */
  const requests = [];
  let hasStream = false;
  let startedAt = Number.POSITIVE_INFINITY;
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === STREAM) hasStream = true;
    else if (performance.now() >= startedAt)
      requests.push({
        atMs: performance.now() - startedAt,
        path: pathname + search,
        accept: request.headers()['accept'] ?? '*/*',
      });
  });
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await pause(LOADED_MS);
  startedAt = performance.now();
  await pause(RECORDED_MS);
  await page.close();
  return { requests, hasStream };
}
