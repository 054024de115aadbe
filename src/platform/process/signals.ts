import { closeSync } from 'node:fs';
import inspector from 'node:inspector';
import { isatty } from 'node:tty';

/** The signals that end the work in order; docs/running/deployment.md lists them. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** Node opens its inspector on the first, from which every secret can be read, and ends on the second. A listener replaces both. */
const IGNORED = ['SIGUSR1', 'SIGUSR2'] as const;
/** A signal that came before the listener opens the inspector by two ways, of which one is a task of the event loop. */
const CLOSE_AFTER_MS = [0, 100, 1_000] as const;
const ASKED_FOR = /--inspect(?:-brk|-wait)?(?:[=\s]|$)/;

/** Calls `stop` on the first signal; another one of the same kind kills the process, unless it is SIGHUP. */
export function onStopSignal(stop: (signal: StopSignal) => void): void {
  for (const signal of STOP_SIGNALS) process.once(signal, () => stop(signal));
  // A terminal that closes sends it more than once.
  process.on('SIGHUP', () => undefined);
}

for (const signal of IGNORED) process.on(signal, () => undefined);

/** An inspector that an option of Node asked for stays. */
function closeInspector(): void {
  const options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  if (inspector.url() !== undefined && !ASKED_FOR.test(options)) inspector.close();
}

closeInspector();
for (const afterMs of CLOSE_AFTER_MS) setTimeout(closeInspector, afterMs).unref();

const terminals = [0, 1, 2].filter((fd) => isatty(fd));
// Node resets its terminals at the exit, and aborts where one of them is gone.
process.on('exit', () => {
  for (const fd of terminals.filter((each) => !isatty(each))) closeSync(fd);
});
