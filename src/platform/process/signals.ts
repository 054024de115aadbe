import { closeSync } from 'node:fs';
import inspector from 'node:inspector';
import { isatty } from 'node:tty';

/** The signals that end the work in order; docs/running/deployment.md lists them. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/**
 * Node opens its inspector on the first signal, through which every secret can be read, and exits on the second signal. A
 * listener replaces both.
 */
const IGNORED = ['SIGUSR1', 'SIGUSR2'] as const;
/** A signal before the listener opens the inspector in two ways, one of which is a later task of the event loop. */
const CLOSE_AFTER_MS = [0, 100, 1_000] as const;
const ASKED_FOR = /--inspect(?:-brk|-wait)?(?:[=\s]|$)/;

/** Calls `stop` on the first signal; another one of the same kind kills the process, unless it is SIGHUP. */
export function onStopSignal(stop: (signal: StopSignal) => void): void {
  for (const signal of STOP_SIGNALS) process.once(signal, () => stop(signal));
  // A closing terminal sends SIGHUP more than once.
  process.on('SIGHUP', () => undefined);
}

for (const signal of IGNORED) process.on(signal, () => undefined);

/** Leaves an inspector open that an option of Node asked for. */
function closeInspector(): void {
  const options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  if (inspector.url() !== undefined && !ASKED_FOR.test(options)) inspector.close();
}

closeInspector();
for (const afterMs of CLOSE_AFTER_MS) setTimeout(closeInspector, afterMs).unref();

const terminals = [0, 1, 2].filter((fd) => isatty(fd));
// At its exit Node resets its terminals, and aborts if one is gone.
process.on('exit', () => {
  for (const fd of terminals.filter((each) => !isatty(each))) closeSync(fd);
});
