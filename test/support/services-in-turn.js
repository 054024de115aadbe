import { readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Marks the end of a service for shared-process.ts: no log has such a line. */
const ENDED = '\u0000ended ';
const EVENTS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'];

class Ended extends Error {}

const endProcess = process.exit.bind(process);

/** The modules of dist/main.js, loaded once for all services. */
const loading = Promise.all(['config-or-exit', 'registered-providers', 'serve', 'app.module'].map(load));

/** The bundler numbers a chunk whose name is taken: dist/main.js names the one that it loads. */
function load(name) {
  const main = readFileSync(new URL('../../dist/main.js', import.meta.url), 'utf8');
  const chunk = new RegExp(`import\\("\\./bundle/(${name}\\d*\\.js)"\\)`).exec(main)?.[1];
  return import(new URL(`../../dist/bundle/${chunk ?? name}`, import.meta.url).href);
}

/** Ends a service like an exit of its process, and leaves the process as the service found it. */
process.exit = (code = 0) => {
  const ended = new Ended();
  for (const event of EVENTS) process.removeAllListeners(event);
  process.on('unhandledRejection', expectEnded);
  for (const fd of [1, 2]) writeSync(fd, `${ENDED}${code}\n`);
  throw ended;
};

function expectEnded(reason) {
  if (!(reason instanceof Ended)) throw reason;
}

/** Starts the service like dist/main.js, with these variables in place of the environment. */
async function start(env) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.off('unhandledRejection', expectEnded);
  const [{ configOrExit }, { PROVIDERS }, { serve }, { AppModule }] = await loading;
  await serve(configOrExit(PROVIDERS), AppModule);
}

createInterface({ input: process.stdin })
  .on('line', (line) => void start(JSON.parse(line)).catch(expectEnded))
  // The process that started this one is gone.
  .on('close', () => endProcess());
