import { parseArgs } from 'node:util';

export interface Arguments {
  /** Whether the demo keeps Paybell running. */
  readonly stay: boolean;
  /** Whether it shows four providers at once, instead of the sandbox. */
  readonly providers: boolean;
  /** Whether it plays all stories of the sandbox, and compares them with the docs. */
  readonly money: boolean;
  /** Whether it shows payments that a chain proves or contradicts. */
  readonly proof: boolean;
  /** With `proof`: uses the sandbox's chain, even if a real node is installed. */
  readonly sandbox: boolean;
}

const OPTION = { type: 'boolean', default: false } as const;

/** Ends the process with status 2 for anything that is no option. */
export function readArguments(): Arguments {
  try {
    const options = { stay: OPTION, providers: OPTION, money: OPTION, proof: OPTION, sandbox: OPTION };
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(
      `${(error as Error).message.split('\n')[0]}\n--stay keeps Paybell running until Ctrl-C; --providers shows four providers at once, --money all stories of the sandbox, --proof payments that a chain proves or contradicts (with --sandbox on the sandbox's own).`,
    );
    return process.exit(2);
  }
}
