import { AppProcess } from './app-process.ts';
import { PrometheusText } from './prometheus-text.ts';
import { Stage } from './stage.ts';
import { StatusRequests } from './status-requests.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Env = Record<string, string>;

export const INTERVAL_MS = 1_000;
export const PROVIDER_TIMEOUT_MS = 500;
/**
 * The least time between the arrivals of two requests about one payment: the gap of 500 ms less the delay that a busy machine
 * may give the first request. Two requests by mistake arrive within a few milliseconds.
 */
export const MIN_ARRIVAL_GAP_MS = 250;
const SETTINGS: Env = {
  POLL_INTERVAL_MS: String(INTERVAL_MS),
  POLL_MIN_GAP_MS: '500',
  PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
};

/** Two replicas that poll the same payments, each at its usual interval, and a provider of any behaviour. */
export class TrackingScene {
  private constructor(
    readonly stage: Stage,
    readonly apps: readonly [AppProcess, AppProcess],
    readonly quoteIds: readonly string[],
    readonly requests: StatusRequests,
  ) {}

  static async open(payments: number): Promise<TrackingScene> {
    const stage = await Stage.open();
    const env = stage.env(SETTINGS);
    const apps: [AppProcess, AppProcess] = await Promise.all([AppProcess.start(env), AppProcess.start(env)]);
    await Promise.all(apps.map((app) => app.waitReady()));
    const quoteIds = await stage.quotes(apps[0], payments);
    const scene = new TrackingScene(stage, apps, quoteIds, new StatusRequests(stage.provider));
    await scene.rounds(2);
    return scene;
  }

  async close(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.stop()));
  }

  /** Waits until every payment has had this many further polls. */
  async rounds(times: number, timeoutMs = 20_000): Promise<void> {
    const count = (id: string): number => this.stage.provider.calls.polls(id).length;
    const before = this.quoteIds.map(count);
    const isOver = (): boolean =>
      this.quoteIds.every((id, index) => count(id) >= (before[index] ?? 0) + times);
    await waitFor(isOver, { timeoutMs, what: `${times} rounds` });
  }

  /** When each payment had its first poll after this instant, in the order of the payments. */
  firstPolls(sinceAt: number): number[] {
    const { calls } = this.stage.provider;
    return this.quoteIds.map((id) => calls.polls(id).find((at) => at >= sinceAt) ?? Number.NaN);
  }

  /** Waits until every replica reports this health of the provider, detail included. */
  async awaitHealth(wanted: RegExp): Promise<void> {
    const isSo = async (): Promise<boolean> => (await this.healths()).every((health) => wanted.test(health));
    await waitFor(isSo, { everyMs: 100, what: `${wanted} of each replica` });
  }

  async healths(): Promise<string[]> {
    const answers = await Promise.all(this.apps.map((app) => app.fetch('/health/ready')));
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    return bodies.map((body) => {
      const { provider } = (body as { checks: { provider: { status: string; detail?: string } } }).checks;
      return `${provider.status} ${provider.detail ?? ''}`.trim();
    });
  }

  /** How many payments back off after failures of their own. */
  async charged(): Promise<number> {
    return (await this.stage.database.query(`SELECT 1 FROM payment_schedule WHERE failures > 0`)).length;
  }

  /** How many status requests the replicas have sent, whether or not they reached the provider. */
  async pollRequests(): Promise<number> {
    const answers = await Promise.all(this.apps.map((app) => app.fetch('/metrics')));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    return texts
      .map(
        (text) =>
          new PrometheusText(text).value('paybell_provider_requests_total', { provider: 'http' }) ?? 0,
      )
      .reduce((sum, requests) => sum + requests, 0);
  }

  /** The published events of a payment: their types, with their reasons. */
  async published(quoteId: string): Promise<string[]> {
    const events = await this.stage.eventsOf(this.apps[0], quoteId);
    return events.map(({ type, data }) => `${type.replace('payment.', '')} ${data['reason'] ?? ''}`.trim());
  }

  toldOfAll(): Promise<string[][]> {
    return Promise.all(this.quoteIds.map((id) => this.published(id)));
  }

  async awaitStatus(status: string, quoteIds: readonly string[] = this.quoteIds): Promise<void> {
    const isSeen = async (): Promise<boolean> =>
      (await this.stage.at(quoteIds, status)).length === quoteIds.length;
    await waitFor(isSeen, { timeoutMs: 40_000, what: `${status} of ${quoteIds.length} payments` });
  }

  linesLike(words: RegExp): string[] {
    return this.apps.flatMap((app) => app.lines.filter((line) => words.test(line)));
  }
}

/** Resolves when this much time has passed since an instant. */
export async function passed(sinceAt: number, ms: number): Promise<void> {
  await waitFor(() => Date.now() >= sinceAt + ms, { timeoutMs: 2 * ms + 1_000 });
}
