import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterAll } from '@jest/globals';

import { freePort } from '../../tools/testkit/free-port.ts';
import { type Ending, PaybellService, STOP_WITHIN_MS } from '../../tools/testkit/paybell-process.ts';
import { API_KEY, removeDataDir, settingsIn } from './app-process.ts';
import { isAlive, leaveProcess, takeProcess } from './in-turn-pool.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const PROGRAM = fileURLToPath(new URL('services-in-turn.js', import.meta.url));
const ENDED = '\u0000ended ';
/**
 * How long a service may take to stop after the last test of its file; a slower one is killed, and its process is not used
 * again.
 */
const LEAVE_WITHIN_MS = 2_000;

const opened = new Set<SharedProcess>();
afterAll(async () => {
  await Promise.all([...opened].map((shared) => shared.close()));
});

/**
 * A process that runs built services one after another, each with its own settings. Loading the program takes most of a
 * start's processor time and leaves nothing of a service behind, so that the next test file of the same worker reuses the
 * process. Tests about the process itself start dist/main.js instead.
 */
export class SharedProcess {
  readonly dataDir = makeDataFolder();
  private readonly child: ReturnType<typeof takeProcess>;
  private readonly ended: Promise<Ending>;
  private readonly output: Interface[];
  private readonly isOurs: boolean;
  private service: SharedService | null = null;
  private isClean = true;

  /** `env` must be set before the libraries are loaded: such a process is not shared with other files. */
  constructor(env?: Readonly<Record<string, string>>) {
    this.isOurs = env !== undefined;
    this.child = env === undefined ? takeProcess(PROGRAM) : spawn(process.execPath, [PROGRAM], { env });
    this.output = [this.child.stdout, this.child.stderr].map((stream) =>
      createInterface({ input: stream }).on('line', (line) => this.service?.print(line)),
    );
    this.ended = new Promise((done) => {
      this.child.once('close', (code, signal) => {
        this.service?.processEnded(code ?? signal);
        done(code ?? signal);
      });
    });
    opened.add(this);
  }

  /** A ready service in a process that goes to others as soon as the service has ended. */
  static async startReady(env: Readonly<Record<string, string>>): Promise<SharedService> {
    const shared = new SharedProcess();
    const service = await shared.start(env);
    void service.whenEnded().then(() => shared.close());
    await service.waitReady();
    return service;
  }

  /** Starts a service, once the former one has ended. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<SharedService> {
    await this.service?.whenEnded();
    // Without this check, a start that waited until the end of its file would run beside the service of the next file.
    if (!opened.has(this)) throw new Error('the process that services share is left to another file');
    if (!isAlive(this.child))
      throw new Error(
        `the process that services share has ended; it printed:\n${this.service?.lines.join('\n')}`,
      );
    const port = env['PORT'] === undefined ? await freePort() : Number(env['PORT']);
    const service = new SharedService(port, API_KEY, this.child);
    this.service = service;
    void service.whenEnded().then((ending) => (this.isClean &&= ending === 0));
    const { PATH = '' } = process.env;
    const settings = { PATH, ...settingsIn(this.dataDir, env), PORT: String(port) };
    this.child.stdin.write(`${JSON.stringify(settings)}\n`);
    return service;
  }

  /** Started and answering on /health/ready. */
  async startReady(env: Readonly<Record<string, string>> = {}): Promise<SharedService> {
    const service = await this.start(env);
    await service.waitReady();
    return service;
  }

  /** Ends the service. Remains of a failed start or an error end with the process. */
  async close(): Promise<void> {
    if (!opened.delete(this)) return;
    await this.service?.stop(LEAVE_WITHIN_MS);
    if (this.isClean && !this.isOurs && isAlive(this.child)) {
      for (const lines of this.output) lines.close();
      leaveProcess(PROGRAM, this.child);
    } else {
      this.child.kill('SIGKILL');
      await this.ended;
    }
    removeDataDir(this.dataDir);
  }
}

/** A service in a process that runs others before and after it. */
export class SharedService extends PaybellService {
  override isRunning = true;
  private readonly ending: Promise<Ending>;
  private settle!: (ending: Ending) => void;
  private streamsEnded = 0;

  constructor(
    port: number,
    apiKey: string,
    private readonly child: ChildProcess,
  ) {
    super(port, apiKey);
    this.ending = new Promise((done) => (this.settle = done));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  override whenEnded(): Promise<Ending> {
    return this.ending;
  }

  override async stop(withinMs = STOP_WITHIN_MS): Promise<Ending> {
    if (!this.isRunning) return this.ending;
    this.child.kill('SIGTERM');
    const late = setTimeout(() => this.child.kill('SIGKILL'), withinMs);
    const ending = await this.ending;
    clearTimeout(late);
    return ending;
  }

  /** Ends the service like a crash, with its process. */
  async kill9(): Promise<void> {
    if (this.isRunning) this.child.kill('SIGKILL');
    await this.ending;
  }

  /** Prints a line of either stream; both streams end with the same line. */
  print(line: string): void {
    if (!line.startsWith(ENDED)) return this.keep(line);
    this.streamsEnded += 1;
    if (this.streamsEnded === 2) this.processEnded(Number(line.slice(ENDED.length)));
  }

  processEnded(ending: Ending): void {
    this.isRunning = false;
    this.settle(ending);
  }
}
