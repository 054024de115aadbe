import { parseArgs } from 'node:util';

/** Whether the demo keeps Paybell running; ends the process with status 2 for anything else than `--stay`. */
export function readArguments(): boolean {
  try {
    return parseArgs({ options: { stay: { type: 'boolean', default: false } } }).values.stay;
  } catch (error) {
    console.error(
      `${(error as Error).message.split('\n')[0]}\nThe demo has one option, --stay: it keeps Paybell running until Ctrl-C.`,
    );
    return process.exit(2);
  }
}
