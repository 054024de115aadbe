import childProcess, { type ChildProcessWithoutNullStreams } from 'node:child_process';

/** A core module's object is the one thing that all test files of a Jest worker share. */
const SHELF = Symbol.for('paybell.idle-processes');

type Shelf = Map<string, ChildProcessWithoutNullStreams[]>;

function idleOf(program: string): ChildProcessWithoutNullStreams[] {
  const holder = childProcess as { [SHELF]?: Shelf };
  const shelf = (holder[SHELF] ??= new Map());
  const idle = shelf.get(program) ?? [];
  shelf.set(program, idle);
  return idle;
}

/** An idle process of this program, which an earlier test file of this worker may have left, or a new one. */
export function takeProcess(program: string): ChildProcessWithoutNullStreams {
  const idle = idleOf(program);
  for (let child = idle.pop(); child !== undefined; child = idle.pop())
    if (isAlive(child)) {
      for (const handle of handlesOf(child)) handle.ref();
      return child;
    }
  return childProcess.spawn(process.execPath, [program], { env: { PATH: process.env['PATH'] } });
}

/** Leaves a process to whoever needs one next. It ends with this worker, which holds its standard input. */
export function leaveProcess(program: string, child: ChildProcessWithoutNullStreams): void {
  if (!isAlive(child)) return;
  child.removeAllListeners();
  // Idle, it must not keep the worker from ending.
  for (const handle of handlesOf(child)) handle.unref();
  idleOf(program).push(child);
}

export function isAlive(child: childProcess.ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function handlesOf(child: ChildProcessWithoutNullStreams): { ref(): void; unref(): void }[] {
  return [child, child.stdin, child.stdout, child.stderr] as unknown as { ref(): void; unref(): void }[];
}
