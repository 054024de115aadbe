import { dieWithParent } from '../testkit/die-with-parent.ts';
import { freePort } from '../testkit/free-port.ts';
import { MAIN, PaybellProcess, type Ending } from '../testkit/paybell-process.ts';
import type { SmallDisk } from '../testkit/small-disk.ts';
import { TcpProxy } from '../testkit/tcp-proxy.ts';
import type { FakedClock } from '../testkit/faked-clock.ts';
import type { Link } from './plan.ts';

export type OwnLink = Exclude<Link, 'shop'>;

interface Targets {
  readonly database: string;
  /** Null: it publishes nothing. */
  readonly broker: string | null;
  readonly provider: string;
  /** The other providers, and the proxies in front of them. */
  readonly carriers?: {
    readonly env: Readonly<Record<string, string>>;
    readonly links: readonly TcpProxy[];
  } | null;
}

/** One replica of the built service, with a network and a clock of its own. */
export class Replica {
  kills = 0;
  private process: PaybellProcess | null = null;
  private main = MAIN;

  private constructor(
    readonly links: Readonly<Record<OwnLink, TcpProxy | null>>,
    private readonly port: number,
    private readonly apiKey: string,
    private readonly env: Readonly<Record<string, string>>,
    readonly clock: FakedClock | null,
    private readonly logTo: number,
    /** The file system of the replica's log; null: a disk that is never full. */
    readonly logDisk: SmallDisk | null,
    readonly carrierLinks: readonly TcpProxy[],
  ) {}

  static async make(
    targets: Targets,
    settings: Readonly<Record<string, string>>,
    apiKey: string,
    clock: FakedClock | null,
    logTo: number,
    logDisk: SmallDisk | null = null,
  ): Promise<Replica> {
    const database = await TcpProxy.inFrontOf(targets.database, 5_432);
    const provider = await TcpProxy.inFrontOf(targets.provider, 80);
    const broker = targets.broker === null ? null : await TcpProxy.inFrontOf(targets.broker, 5_672);
    const env = {
      ...settings,
      DATABASE_URL: database.through(targets.database),
      PROVIDER_BASE_URL: provider.through(targets.provider).replace(/\/$/, ''),
      ...(broker !== null && targets.broker !== null && { RABBITMQ_URL: broker.through(targets.broker) }),
      ...targets.carriers?.env,
      ...clock?.env,
    };
    const port = await freePort();
    return new Replica(
      { database, broker, provider },
      port,
      apiKey,
      env,
      clock,
      logTo,
      logDisk,
      targets.carriers?.links ?? [],
    );
  }

  get isRunning(): boolean {
    return this.process?.isRunning === true;
  }

  /** The process that runs, or ran last. */
  get current(): PaybellProcess {
    if (this.process === null) throw new Error('the replica was never started');
    return this.process;
  }

  /** Without `main`, runs the former release, at first the one that `npm run build` has made. */
  start(main = this.main): void {
    if (this.isRunning) return;
    this.main = main;
    const { port, apiKey, env, logTo } = this;
    this.process = new PaybellProcess({ port, apiKey, env, logTo, main, startWith: dieWithParent('KILL') });
  }

  /** SIGTERM; answers how it ended. */
  async stop(): Promise<Ending> {
    return (await this.process?.stop()) ?? null;
  }

  async kill9(): Promise<void> {
    this.kills += 1;
    await this.process?.kill9();
  }

  async isReady(): Promise<boolean> {
    if (!this.isRunning) return false;
    const answer = await fetch(`${this.current.url}/health/ready`, {
      signal: AbortSignal.timeout(3_000),
    }).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok === true;
  }

  /** Stops the replica for good; returns how it ended. */
  async close(): Promise<Ending> {
    const ending = await this.stop();
    for (const proxy of [...Object.values(this.links), ...this.carrierLinks]) await proxy?.close();
    return ending;
  }
}
