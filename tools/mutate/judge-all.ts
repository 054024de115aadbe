import { fork } from 'node:child_process';

import type { MutantKey, Report, Task, TestFile } from './session.ts';

/** A worker that says nothing for so long is in a loop that has no end. */
const SILENT_MS = 60_000;
const WORKER = new URL('worker.js', import.meta.url);

export type Verdict = 'killed' | 'survived' | 'timeout' | 'not covered';

/** What is found out about the mutants, from one worker to the next. */
class Findings {
  readonly verdicts = new Map<MutantKey, Verdict>();
  private readonly known: TestFile[] = [];
  private readonly tried = new Set<MutantKey>();
  private begun: MutantKey | null = null;
  isComplete = false;
  isStopped = false;

  constructor(
    private readonly files: readonly string[],
    private readonly keys: readonly MutantKey[],
    private readonly isDirect: boolean,
  ) {
    for (const key of keys) this.verdicts.set(key, 'not covered');
  }

  get task(): Task {
    const { files, known, isDirect } = this;
    const alive = this.keys.filter((key) =>
      ['survived', 'not covered'].includes(this.verdicts.get(key) ?? ''),
    );
    return { files, isDirect, alive, known, tried: [...this.tried] };
  }

  /** What is decided: a mutant that lives is only once every test that meets it had its turn. */
  get decided(): ReadonlyMap<MutantKey, Verdict> {
    const open = new Set(this.isComplete ? [] : this.task.alive.filter((key) => !this.tried.has(key)));
    return new Map([...this.verdicts].filter(([key]) => !open.has(key)));
  }

  /** How much is known: without progress another worker would fare no better. */
  get progress(): number {
    return this.known.length + this.tried.size + this.keys.length - this.task.alive.length;
  }

  note(report: Report): void {
    if (report.kind === 'begun') this.begun = report.key;
    else this.begun = null;
    if (report.kind === 'met') for (const key of report.keys) this.noteMet(key);
    if (report.kind === 'killed') this.verdicts.set(report.key, 'killed');
    if (report.kind === 'revived') for (const key of report.keys) this.verdicts.set(key, 'survived');
    if (report.kind === 'tried') this.tried.add(report.key);
    if (report.kind === 'known') this.known.push(report.test);
    if (report.kind === 'complete') this.isComplete = true;
  }

  /** The worker hung in its last mutant, or broke down by it. */
  noteEnd(): void {
    if (this.begun !== null && !this.isComplete && !this.isStopped) this.verdicts.set(this.begun, 'timeout');
    this.begun = null;
  }

  private noteMet(key: MutantKey): void {
    if (this.verdicts.get(key) === 'not covered') this.verdicts.set(key, 'survived');
  }
}

/** The verdicts on these mutants; after a signal, on those that are decided. A worker that ends early is replaced. */
export async function judgeAll(
  files: readonly string[],
  keys: readonly MutantKey[],
  isDirect: boolean,
): Promise<ReadonlyMap<MutantKey, Verdict>> {
  const findings = new Findings(files, keys, isDirect);
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(0);
  const stop = (): void => {
    findings.isStopped = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  while (!findings.isComplete && !findings.isStopped) {
    const before = findings.progress;
    await work(findings.task, (report) => {
      findings.note(report);
      if (report.kind === 'known')
        show(`${report.test.path}: ${findings.task.alive.length} of ${keys.length} are left, ${seconds()} s`);
    });
    findings.noteEnd();
    if (findings.progress === before && !findings.isComplete && !findings.isStopped)
      throw new Error('the worker ended early: see above');
  }
  return findings.decided;
}

/** Settles once the worker has ended. */
function work(task: Task, onReport: (report: Report) => void): Promise<void> {
  return new Promise((resolve) => {
    const worker = fork(WORKER, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const watch = setTimeout(() => worker.kill('SIGKILL'), SILENT_MS);
    // Asked to end, it removes its databases.
    const stop = (): void => void worker.kill('SIGTERM');
    process.once('SIGINT', stop).once('SIGTERM', stop);
    worker.on('message', (report: Report) => {
      watch.refresh();
      onReport(report);
    });
    worker.once('exit', () => {
      clearTimeout(watch);
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve();
    });
    worker.send(task);
  });
}

function show(line: string): void {
  process.stderr.write(`${line}\n`);
}
