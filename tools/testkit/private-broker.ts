import { type ChildProcess, execFile, spawn, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { dieWithParent } from './die-with-parent.ts';
import { freePort } from './free-port.ts';
import { TOOLS } from './machine-tools.js';
import { speaksAmqp } from './rabbitmq-server.ts';
import { waitFor } from './wait-for.ts';

const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 20_000;
const CONTROL_TIMEOUT_MS = 30_000;
const KEPT_OUTPUT = 4_000;

const run = promisify(execFile);

/** A RabbitMQ with its own node name, ports, name service and data folder, which a test may stop and kill. */
export class PrivateBroker {
  private readonly folder: string;
  private readonly nodeName = `paybell_${randomBytes(4).toString('hex')}@localhost`;
  private names: ChildProcess | null = null;
  private server: ChildProcess | null = null;
  private output = '';

  private constructor(
    private readonly script: string,
    private readonly port: number,
    private readonly distributionPort: number,
    private readonly namesPort: number,
    parent: string,
    /** The folder with the cookie by which the nodes of a cluster trust each other. */
    private readonly home: string | null = null,
  ) {
    this.folder = mkdtempSync(join(parent, 'paybell-rabbitmq-'));
    writeFileSync(join(this.folder, 'env.conf'), '');
    writeFileSync(join(this.folder, 'plugins'), '[].\n');
    writeFileSync(
      join(this.folder, 'rabbitmq.conf'),
      `listeners.tcp.1 = 127.0.0.1:${port}\ndisk_free_limit.absolute = 50MB\nlog.file = false\nlog.console = true\n`,
    );
  }

  /** Starts a broker whose data folder lies below `parent`. */
  static async start(parent = realpathSync(tmpdir())): Promise<PrivateBroker> {
    const script = TOOLS.rabbitmq.find();
    if (script === null) throw new Error('rabbitmq-server is not installed');
    const broker = new PrivateBroker(script, await freePort(), await freePort(), await freePort(), parent);
    try {
      await broker.restart();
      return broker;
    } catch (error) {
      broker.destroy();
      throw error;
    }
  }

  /** A second node of its cluster. */
  async startPeer(): Promise<PrivateBroker> {
    const { script, namesPort, folder } = this;
    const parent = realpathSync(tmpdir());
    const peer = new PrivateBroker(script, await freePort(), await freePort(), namesPort, parent, folder);
    try {
      await peer.restart();
      for (const words of [['stop_app'], ['join_cluster', this.nodeName], ['start_app']])
        await peer.control(...words);
      return peer;
    } catch (error) {
      peer.destroy();
      throw error;
    }
  }

  get url(): string {
    return `amqp://guest:guest@127.0.0.1:${this.port}`;
  }

  /** Starts the broker again on the same port, with its stored data. */
  async restart(): Promise<void> {
    await this.stop();
    if (this.home === null)
      this.names ??= begin('epmd', ['-address', '127.0.0.1', '-port', String(this.namesPort)], {
        stdio: 'ignore',
      }).on('error', () => undefined);
    const server = begin(this.script, [], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.env(),
    });
    this.server = server;
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (text) => (this.output = `${this.output}${text}`.slice(-KEPT_OUTPUT)));
    await waitFor(() => !isRunning(server) || speaksAmqp(this.port), {
      timeoutMs: START_TIMEOUT_MS,
      everyMs: 200,
      what: 'the private RabbitMQ to accept connections',
    });
    if (!isRunning(server)) throw new Error(`the private RabbitMQ ended at start:\n${this.output}`);
  }

  /** Stops the broker cleanly; durable data stays for `restart`. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Ends the broker at once, like a crash. */
  async kill9(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Runs an operator's command with `rabbitmqctl`; returns its output. */
  async control(...words: readonly string[]): Promise<string> {
    const options = { env: this.env(), timeout: CONTROL_TIMEOUT_MS };
    return (await run(join(dirname(this.script), 'rabbitmqctl'), [...words], options)).stdout;
  }

  /** Ends everything and removes the data folder; works in an exit handler too. */
  destroy(): void {
    if (this.server !== null) signalGroup(this.server, 'SIGKILL');
    this.names?.kill('SIGKILL');
    this.server = null;
    this.names = null;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { server } = this;
    if (server === null) return;
    this.server = null;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    if (!isRunning(server)) return;
    signalGroup(server, signal);
    const late = setTimeout(() => signalGroup(server, 'SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
    signalGroup(server, 'SIGKILL');
    await waitFor(async () => !(await speaksAmqp(this.port)), { what: 'the private RabbitMQ to be gone' });
  }

  private env(): NodeJS.ProcessEnv {
    const { folder } = this;
    return {
      PATH: process.env['PATH'],
      HOME: this.home ?? folder,
      ERL_EPMD_ADDRESS: '127.0.0.1',
      ERL_EPMD_PORT: String(this.namesPort),
      ERL_FLAGS: '-kernel inet_dist_use_interface {127,0,0,1}',
      RABBITMQ_NODENAME: this.nodeName,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(this.port),
      RABBITMQ_DIST_PORT: String(this.distributionPort),
      RABBITMQ_CONF_ENV_FILE: join(folder, 'env.conf'),
      RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
      RABBITMQ_MNESIA_BASE: join(folder, 'data'),
      RABBITMQ_LOG_BASE: join(folder, 'log'),
      RABBITMQ_PID_FILE: join(folder, 'pid'),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none',
      // The script becomes the server; otherwise the kernel would end only the shell beside the server.
      RUNNING_UNDER_SYSTEMD: '1',
    };
  }
}

function begin(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const [command = program, ...rest] = [...dieWithParent('KILL'), program, ...args];
  return spawn(command, rest, options);
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
