import 'reflect-metadata';

import { Config } from '../config/config.ts';
import { walletProblem } from '../providers/relay/vm-addresses.ts';
import { UsageError } from './usage-error.ts';

const HELP = new Set(['help', '--help', '-h']);

const USAGE = `Usage: paybell keys list
       paybell keys add NAME [--role shop|viewer|operator|admin]
                                   makes a key, by default admin, and shows it once
       paybell keys revoke NAME    it stops working within 10 seconds
       paybell provider check [--json]
                                   sends the provider a few requests, and moves no money
       paybell restored            the database went back, by a restore or a failover that lost commits
       paybell restored --from FILE [--url URL]
                                   hands over the payments that FILE names, one JSON object a line: {quoteId,
                                   orderId?, metadata?, quote?} or an event; - reads standard input, URL is that
                                   of the running Paybell, by default http://HOST:PORT
       paybell upgrade-data [--from-bin DIR]
                                   carries the embedded database over to the PostgreSQL that this Paybell brings, and
                                   keeps the old data; DIR has the programs of the old version. Stop Paybell before
       paybell help, --help, -h

The commands keys and restored use the database of DATABASE_URL, or the embedded one in DATA_DIR of a running Paybell.
`;

async function main([command, ...words]: readonly string[]): Promise<void> {
  // Each command loads only what it needs: TypeORM and the providers take most of the time.
  if (command === 'keys') return keys(words);
  if (command === 'restored') return restored(words);
  if (command === 'upgrade-data') return upgradeData(words);
  if (command !== undefined && HELP.has(command)) return print(USAGE);
  const [action, ...flags] = words;
  if (command !== 'provider' || action !== 'check') throw new UsageError();
  const { checkProvider } = await import('./provider-check.ts');
  const { text, isGood } = await checkProvider(flags, new Config(process.env, { walletProblem }));
  print(text);
  process.exitCode = isGood ? 0 : 1;
}

async function restored(words: readonly string[]): Promise<void> {
  const config = new Config(process.env, { asksProvider: false });
  if (words.length === 0) {
    const { declareRestored } = await import('./declare-restored.ts');
    print(await declareRestored(config));
    return;
  }
  const { adoptFrom } = await import('./restored.ts');
  const { isGood } = await adoptFrom(words, config, print);
  process.exitCode = isGood ? 0 : 1;
}

async function upgradeData(words: readonly string[]): Promise<void> {
  const { runUpgrade } = await import('./upgrade-data.ts');
  // An exit stops the servers where the kernel does not.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  print(await runUpgrade(words, new Config(process.env, { asksProvider: false }), print));
}

function print(text: string): void {
  process.stdout.write(text);
}

async function keys(words: readonly string[]): Promise<void> {
  const { openKeyStore } = await import('./key-store.ts');
  const { manageKeys } = await import('./keys.ts');
  const { close, ...store } = await openKeyStore(new Config(process.env, { asksProvider: false }));
  try {
    print(await manageKeys(words, store));
  } finally {
    await close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(error instanceof UsageError ? USAGE : `${(error as Error).message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
