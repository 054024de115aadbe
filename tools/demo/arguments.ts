import { parseArgs } from 'node:util';

export interface Arguments {
  /** Whether the demo keeps Paybell running. */
  readonly stay: boolean;
  /** Whether it shows four providers at once, instead of the sandbox. */
  readonly providers: boolean;
  /** Whether it plays all stories of the sandbox, and compares them with the docs. */
  readonly money: boolean;
}

const OPTION = { type: 'boolean', default: false } as const;

/** Ends the process with status 2 for anything that is no option. */
export function readArguments(): Arguments {
  try {
    return parseArgs({ options: { stay: OPTION, providers: OPTION, money: OPTION } }).values;
  } catch (error) {
    console.error(
      `${(error as Error).message.split('\n')[0]}\n--stay keeps Paybell running until Ctrl-C; --providers shows four providers at once, --money all stories of the sandbox.`,
    );
    return process.exit(2);
  }
}
