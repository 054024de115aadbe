import childProcess, { type ChildProcessWithoutNullStreams } from 'node:child_process';

/** All test files of a Jest worker share only the objects of core modules. */
const SHELF = Symbol.for('paybell.idle-processes');

type Shelf = Map<string, ChildProcessWithoutNullStreams[]>;

function idleOf(program: string): ChildProcessWithoutNullStreams[] {
  const holder = childProcess as { [SHELF]?: Shelf };
  const shelf = (holder[SHELF] ??= new Map());
  const idle = shelf.get(program) ?? [];
  shelf.set(program, idle);
  return idle;
}

/** Takes an idle process of this program, which an earlier test file of this worker may have left, or starts a new one. */
export function takeProcess(program: string): ChildProcessWithoutNullStreams {
  const idle = idleOf(program);
  for (let child = idle.pop(); child !== undefined; child = idle.pop())
    if (isAlive(child)) {
      for (const handle of handlesOf(child)) handle.ref();
      return child;
    }
  return childProcess.spawn(process.execPath, [program], { env: { PATH: process.env['PATH'] } });
}

/** Leaves a process to the next test file that needs one. It ends with this worker, which holds its standard input. */
export function leaveProcess(program: string, child: ChildProcessWithoutNullStreams): void {
  if (!isAlive(child)) return;
  child.removeAllListeners();
  // An idle process must not keep the worker from ending.
  for (const handle of handlesOf(child)) handle.unref();
  idleOf(program).push(child);
}

export function isAlive(child: childProcess.ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function handlesOf(child: ChildProcessWithoutNullStreams): { ref(): void; unref(): void }[] {
  return [child, child.stdin, child.stdout, child.stderr] as unknown as { ref(): void; unref(): void }[];
}
