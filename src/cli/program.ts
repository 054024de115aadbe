import 'reflect-metadata';

import { Command, CommanderError } from 'commander';

import { VERSION } from '../platform/version.ts';
import { addCompletion } from './completion/command.ts';
import { addDeliveries } from './deliveries/command.ts';
import { addDoctor } from './doctor/command.ts';
import { addEndpoints } from './endpoints/command.ts';
import { addEvents } from './events/command.ts';
import { addKeys } from './keys/command.ts';
import { addListen } from './listen/command.ts';
import { ExitStatus, exitStatusOf, wordsOf } from './output/exit-status.ts';
import { endWithOutput } from './output/print.ts';
import { addOrders } from './orders/command.ts';
import { addPayments } from './payments/command.ts';
import { addProvider } from './provider/command.ts';
import { addQuotes } from './quotes/command.ts';
import { addReconcile } from './reconcile/command.ts';
import { addRestored } from './restored/command.ts';
import { addTrigger } from './sandbox/command.ts';

const AFTER_HELP = `
Commands that ask a running Paybell use PAYBELL_URL (http://HOST:PORT without it) and PAYBELL_API_KEY.
keys (without PAYBELL_URL) and after-restore use the database of DATABASE_URL, or the embedded one in DATA_DIR.

Exit status: 0 done; 1 failed, or a check found something; 2 wrong words; 3 Paybell does not answer; 4 the API key is refused;
130 Ctrl-C, 128 and the number of another signal. docs/running/cli.md has an example of each command.`;

/** The commands in the order of the help. Each loads its code only when it is called. */
const GROUPS = [
  addPayments,
  addOrders,
  addQuotes,
  addEvents,
  addEndpoints,
  addDeliveries,
  addListen,
  addTrigger,
  addReconcile,
  addDoctor,
  addProvider,
  addKeys,
  addRestored,
  addCompletion,
] as const;

/** All commands, with their options and their help. */
export function buildProgram(): Command {
  const program = new Command('paybell')
    .description('Looks after a running Paybell, and after its database.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError()
    .exitOverride()
    .addHelpText('after', AFTER_HELP);
  for (const add of GROUPS) add(program);
  return program;
}

/** Runs the command line; the exit status is in `process.exitCode`. */
export async function run(words: readonly string[]): Promise<void> {
  endWithOutput();
  try {
    // `help payments list` is about `payments list`; Commander's own help knows one word.
    const asked = words[0] === 'help' && words.length > 2 ? [...words.slice(1), '--help'] : words;
    await buildProgram().parseAsync(asked, { from: 'user' });
  } catch (error) {
    // Commander has printed the help, or the fault of the words.
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? ExitStatus.done : ExitStatus.usage;
    else {
      process.stderr.write(`${wordsOf(error)}\n`);
      process.exitCode = exitStatusOf(error);
    }
  }
}
