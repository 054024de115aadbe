import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterAll } from '@jest/globals';

import { freePort } from '../../tools/testkit/free-port.ts';
import { type Ending, PaybellService, STOP_WITHIN_MS } from '../../tools/testkit/paybell-process.ts';
import { API_KEY, removeDataDir, settingsIn } from './app-process.ts';

const PROGRAM = fileURLToPath(new URL('services-in-turn.js', import.meta.url));
const ENDED = '\u0000ended ';

const opened: SharedProcess[] = [];
afterAll(async () => {
  for (const shared of opened.splice(0)) await shared.close();
});

/**
 * One process that runs built services one after another, each with its own settings. Loading the program takes most of a
 * start's processor time and keeps nothing of a service. What is about the process itself starts dist/main.js instead.
 */
export class SharedProcess {
  readonly dataDir = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-shared-'));
  private readonly child: ChildProcess;
  private readonly ended: Promise<Ending>;
  private service: SharedService | null = null;

  /** `env` is there when the libraries are loaded, as it is for a service of its own. */
  constructor(env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [PROGRAM], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.service?.print(line));
    this.ended = new Promise((done) => {
      this.child.once('close', (code, signal) => {
        this.service?.processEnded(code ?? signal);
        done(code ?? signal);
      });
    });
    opened.push(this);
  }

  /** A service, once the former one has ended. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<SharedService> {
    await this.service?.whenEnded();
    if (this.child.exitCode !== null || this.child.signalCode !== null)
      throw new Error(
        `the process that services share has ended; it printed:\n${this.service?.lines.join('\n')}`,
      );
    const port = env['PORT'] === undefined ? await freePort() : Number(env['PORT']);
    this.service = new SharedService(port, API_KEY, this.child);
    const { PATH = '' } = process.env;
    const settings = { PATH, ...settingsIn(this.dataDir, env), PORT: String(port) };
    this.child.stdin?.write(`${JSON.stringify(settings)}\n`);
    return this.service;
  }

  /** Started and answering on /health/ready. */
  async startReady(env: Readonly<Record<string, string>> = {}): Promise<SharedService> {
    const service = await this.start(env);
    await service.waitReady();
    return service;
  }

  async close(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.ended;
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

  override whenEnded(): Promise<Ending> {
    return this.ending;
  }

  override async stop(): Promise<Ending> {
    if (this.isRunning) this.child.kill('SIGTERM');
    const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_WITHIN_MS);
    const ending = await this.ending;
    clearTimeout(late);
    return ending;
  }

  /** As a crash ends it, and its process. */
  async kill9(): Promise<void> {
    if (this.isRunning) this.child.kill('SIGKILL');
    await this.ending;
  }

  /** A line of either stream; both end with the same one. */
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
