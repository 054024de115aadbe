import { relative } from 'node:path';

import { TOOLS } from '../../tools/testkit/machine-tools.js';

const SLOWEST = 10;
/** How describe-with.ts marks a suite whose tool this machine lacks. */
const NEEDS = /\[needs ([\w-]+)\]/;

/** Prints the ten slowest files, the counts of the run, and one block of what did not run for want of a tool. */
export default class CountReporter {
  constructor(globalConfig) {
    this.rootDir = globalConfig.rootDir;
  }

  onRunComplete(_contexts, results) {
    // A file that could not be loaded has no tests of its own to count.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const counts = [`${results.numPassedTests} passed`, `${failed} failed`];
    if (skipped > 0) counts.push(`${skipped} skipped`);
    const lines = [...this.slowestOf(results.testResults), counts.join(', '), ...missingTools(results)];
    // Everything else of Jest is printed by then.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }

  slowestOf(files) {
    const timed = files.map(({ testFilePath, perfStats }) => ({
      name: relative(this.rootDir, testFilePath),
      seconds: (perfStats.end - perfStats.start) / 1_000,
    }));
    const total = timed.reduce((sum, { seconds }) => sum + seconds, 0);
    const slowest = timed.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
    return [
      `Slowest of ${timed.length} files (${total.toFixed(0)} s together):`,
      ...slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`),
    ];
  }
}

/**
 * The block at the end: tool, how many tests, and the command that installs it. RabbitMQ comes first.
 *
 * @param {any} results Jest's results of the run
 * @returns {string[]}
 */
export function missingTools({ testResults }) {
  const counts = new Map();
  for (const { status, ancestorTitles, title } of testResults.flatMap((file) => file.testResults)) {
    const tool = status === 'pending' ? NEEDS.exec([...ancestorTitles, title].join(' '))?.[1] : undefined;
    if (tool !== undefined) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const names = Object.keys(TOOLS).filter((name) => counts.has(name));
  const width = Math.max(...names.map((name) => TOOLS[name].title.length), 'tool'.length);
  const row = (tool, tests, command) => `  ${tool.padEnd(width)}  ${String(tests).padStart(5)}  ${command}`;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [
    '',
    ...(counts.has('rabbitmq') ? [`RabbitMQ was not tested: ${whyNoRabbitmq()}`] : []),
    `${total} tests did not run, because this machine lacks what they run on:`,
    row('tool', 'tests', 'to run them'),
    ...names.map((name) => row(TOOLS[name].title, counts.get(name), commandOf(name))),
  ];
}

function whyNoRabbitmq() {
  return process.env.PAYBELL_TEST_NO_AMQP ?? 'npm run test:tools -- rabbitmq, or set TEST_RABBITMQ_URL.';
}

function commandOf(name) {
  return name === 'root' ? 'run the tests as root' : `npm run test:tools -- ${name}`;
}
