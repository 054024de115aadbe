import { onStopSignal, type StopSignal } from '../../platform/process/signals.ts';
import { CommandError, ExitStatus } from './exit-status.ts';

const STATUS: Readonly<Record<StopSignal, ExitStatus>> = {
  SIGHUP: ExitStatus.hungUp,
  SIGINT: ExitStatus.interrupted,
  SIGQUIT: ExitStatus.quit,
  SIGTERM: ExitStatus.terminated,
};

/** The first Ctrl-C or other signal to stop ends the command's work in order; the second one kills it. */
export class Interrupted extends CommandError {
  constructor(signal: StopSignal) {
    super('It was stopped.', STATUS[signal]);
  }
}

/** For work without changes that watches no signal: the first Ctrl-C or other signal to stop ends it at once. */
export function exitWhenInterrupted(): void {
  onStopSignal((signal) => {
    const { message, exitStatus } = new Interrupted(signal);
    process.exitCode = exitStatus;
    process.once('exit', () => process.stderr.write(`${message}\n`));
    process.exit();
  });
}

export function untilInterrupted(): AbortSignal {
  const stopping = new AbortController();
  onStopSignal((signal) => stopping.abort(new Interrupted(signal)));
  return stopping.signal;
}

/** Work that a person ends with Ctrl-C, which counts as success. */
export async function endsByInterruption(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
