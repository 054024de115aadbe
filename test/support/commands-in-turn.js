import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

/** Marks the end of a command, with its status, for cli.ts: no command prints this text. */
const ENDED = '\u0000ended ';

/** The modules of dist/cli/paybell.js, loaded once for all commands. */
const loading = import(new URL('../../dist/bundle/program.js', import.meta.url).href);

/**
 * Runs a command like dist/cli/paybell.js, with these words, variables and standard input. A command that calls process.exit
 * ends this process.
 */
async function runCommand({ words, env, input }) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(process, 'stdin', { value: Readable.from(Buffer.from(input)), configurable: true });
  process.exitCode = undefined;
  const { run } = await loading;
  await run(words);
  for (const stream of [process.stderr, process.stdout]) stream.removeAllListeners('error');
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']) process.removeAllListeners(signal);
  for (const stream of [process.stderr, process.stdout]) stream.write(`${ENDED}${process.exitCode ?? 0}\n`);
}

createInterface({ input: process.stdin })
  .on('line', (line) => void runCommand(JSON.parse(line)))
  // The process that started this one is gone.
  .on('close', () => process.exit());
