import { printableLines } from '../../domain/text/printable.ts';

/** The statuses by which the shell learns how a command ended; docs/running/cli.md explains them. */
export const ExitStatus = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  /** 128 plus the signal's number, as in shells. */
  hungUp: 129,
  interrupted: 130,
  quit: 131,
  terminated: 143,
} as const;
export type ExitStatus = (typeof ExitStatus)[keyof typeof ExitStatus];

/** An error whose message is for the user, with the exit status of the command. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitStatus: ExitStatus = ExitStatus.failed,
    options: ErrorOptions = {},
  ) {
    super(message, options);
  }
}

export function exitStatusOf(error: unknown): ExitStatus {
  return error instanceof CommandError ? error.exitStatus : ExitStatus.failed;
}

/** The message without its stack and without control characters, which may come from outside. */
export function wordsOf(error: unknown): string {
  return printableLines(error instanceof Error ? error.message : String(error), '?');
}
