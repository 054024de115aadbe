import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { transformSync } from '@swc/core';

import { waitFor } from '../../tools/testkit/wait-for.ts';

const SOURCE = resolve('src/platform/embedded-postgres');
const START_TIMEOUT_MS = 60_000;
/** The programs that the embedded database needs on a machine without setpriv. */
const BARE_PROGRAMS = ['sh', 'test', 'id'];
const MAIN = `
  import { EmbeddedPostgres } from './embedded-postgres.js';
  const say = (text) => console.log(text.split('\\n').join(' '));
  const log = { log() {}, warn: (text) => say('warn ' + text), error: (text) => say('error ' + text) };
  const postgres = new EmbeddedPostgres({ dataDir: process.argv[2], log });
  process.on('SIGTERM', () => postgres.stop().then(() => process.exit(0)));
  setInterval(() => {}, 1000);
  postgres.start().then(
    (url) => say('ready ' + url),
    (error) => { say('failed ' + error.message); process.exit(1); },
  );`;

/** The embedded database's code, compiled for processes of their own, which can be killed. */
export class EmbeddedProgram {
  private readonly folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-embedded-program-'));
  private readonly children: EmbeddedChild[] = [];

  constructor() {
    chmodSync(this.folder, 0o755);
    symlinkSync(resolve('node_modules'), join(this.folder, 'node_modules'));
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(this.folder, 'main.js'), MAIN);
    for (const name of readdirSync(SOURCE)) this.compile(name);
    this.linkBarePrograms();
  }

  run(dataDir: string, options: { withoutSetpriv?: boolean; uid?: number } = {}): EmbeddedChild {
    const { withoutSetpriv = false, uid } = options;
    const env = { PATH: withoutSetpriv ? join(this.folder, 'bin') : process.env['PATH'] };
    const child = new EmbeddedChild(
      spawn(process.execPath, [join(this.folder, 'main.js'), dataDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env,
        ...(uid === undefined ? {} : { uid, gid: uid }),
      }),
    );
    this.children.push(child);
    return child;
  }

  async remove(): Promise<void> {
    for (const child of this.children) await child.kill9();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private compile(name: string): void {
    const { code } = transformSync(readFileSync(join(SOURCE, name), 'utf8'), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'es6' },
    });
    const linked = code.replaceAll(/(from ['"]\.\/[^'"]+)\.ts(['"])/g, '$1.js$2');
    writeFileSync(join(this.folder, name.replace(/\.ts$/, '.js')), linked);
  }

  private linkBarePrograms(): void {
    mkdirSync(join(this.folder, 'bin'));
    for (const name of BARE_PROGRAMS) symlinkSync(`/usr/bin/${name}`, join(this.folder, 'bin', name));
  }
}

/** One process that holds an embedded database. */
export class EmbeddedChild {
  readonly lines: string[] = [];
  private readonly ended: Promise<number | null>;

  constructor(private readonly child: ChildProcess) {
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => this.lines.push(line));
    this.ended = new Promise((done) => child.once('close', done));
  }

  /** The URL once the database serves, or its error's message. */
  async outcome(): Promise<string> {
    const line = await waitFor(() => this.lines.find((text) => /^(ready|failed) /.test(text)), {
      timeoutMs: START_TIMEOUT_MS,
    });
    return line.replace(/^ready /, '');
  }

  /** The URL once it serves. */
  async served(): Promise<string> {
    const outcome = await this.outcome();
    if (!outcome.startsWith('postgres://')) throw new Error(outcome);
    return outcome;
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended;
  }

  async kill9(): Promise<void> {
    this.child.kill('SIGKILL');
    // Does not wait for the end of the child's output: an orphan may hold it open.
    if (this.child.exitCode === null && this.child.signalCode === null)
      await new Promise((done) => this.child.once('exit', done));
  }
}
