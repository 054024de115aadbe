import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The built service, seen from the built demo in build/tools/demo. */
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
/** Paybell itself stops within 10 s of SIGTERM. */
const STOP_MS = 10_000;
const LOG_LINES = 200;
/** The demo's own looks would drown what matters. */
const REQUEST = /^(?:GET|POST) \/(?:api|health)/;
/** What a child needs of this environment; nothing that would configure Paybell. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];

/** One running Paybell, started as `npm start` would, and the last of what it said. */
export class PaybellProcess {
  readonly log: string[] = [];
  private readonly child: ChildProcess;
  private exit: string | null = null;
  private isClean = false;

  constructor(settings: Readonly<Record<string, string>>) {
    const kept = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [name]));
    const env = { ...Object.fromEntries(kept.map((name) => [name, process.env[name]])), ...settings };
    // A process group of its own: Ctrl-C is for the demo, which then stops Paybell in its turn.
    this.child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.child.once('error', (error) => this.note(error.message));
    this.child.once('exit', (code, signal) => {
      this.exit = signal === null ? `status ${code}` : `signal ${signal}`;
      this.isClean = code === 0;
    });
    this.keep(this.child.stdout);
    this.keep(this.child.stderr);
  }

  /** How it ended, such as `status 1`; null while it runs. */
  get ended(): string | null {
    return this.exit;
  }

  /** Answers what went wrong; null after a graceful stop with status 0. */
  async stop(): Promise<string | null> {
    if (this.exit !== null) return `Paybell had ended by itself with ${this.exit}`;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), STOP_MS);
    await ended;
    clearTimeout(timer);
    return this.isClean ? null : `Paybell ended with ${this.exit} after SIGTERM`;
  }

  /** At once, with everything it started; for a demo that can't wait any more. */
  kill(): void {
    if (this.exit !== null || this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      this.child.kill('SIGKILL');
    }
  }

  private keep(stream: Readable | null): void {
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.note(line));
  }

  private note(line: string): void {
    const text = readLogLine(line);
    if (REQUEST.test(text)) return;
    this.log.push(text);
    if (this.log.length > LOG_LINES) this.log.shift();
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Paybell logs JSON where there is no terminal; a person reads the message. */
function readLogLine(line: string): string {
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    return [msg, err?.message].filter((part) => part !== undefined).join(': ') || line;
  } catch {
    return line;
  }
}
