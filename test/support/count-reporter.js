import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { TOOLS } from '../../tools/testkit/machine-tools.js';

const SLOWEST = 10;
/** The beginning of Jest's message about a failed test. */
const TITLE = /^ {2}● (.*)$/;
/** How describe-with.ts marks a suite whose tool this machine lacks. */
const NEEDS = /\[needs ([\w-]+)\]/;

/**
 * Prints the ten slowest files, the counts of the run, and one block about the tests that did not run because a tool is
 * missing. Tests of a file that fail by one error, as after a shared start, are one failure: printed once and counted once.
 */
export default class CountReporter {
  constructor(globalConfig) {
    this.rootDir = globalConfig.rootDir;
  }

  /** Jest's default reporter, which runs after this one, prints the message. */
  onTestResult(_test, result) {
    if (result.failureMessage)
      result.failureMessage = eachErrorOnce(result.failureMessage, result.testResults);
  }

  onRunComplete(_contexts, results) {
    // A file that could not be loaded has no tests to count.
    const failed = results.testResults.reduce(
      (sum, { testResults }) => sum + errorsOf(testResults).size,
      results.numRuntimeErrorTestSuites,
    );
    const skipped = results.numPendingTests + results.numTodoTests;
    const counts = [`${results.numPassedTests} passed`, `${failed} failed`];
    if (skipped > 0) counts.push(`${skipped} skipped`);
    const lines = [...this.slowestOf(results.testResults), counts.join(', '), ...missingTools(results)];
    // By then Jest has printed everything else.
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

/** Titles of a file's failed tests by their errors, each with its stack. */
function errorsOf(testResults) {
  const titles = new Map();
  for (const { status, failureMessages, ancestorTitles, title } of testResults) {
    if (status !== 'failed') continue;
    const error = failureMessages.join('\n');
    titles.set(error, [...(titles.get(error) ?? []), [...ancestorTitles, title].join(' › ')]);
  }
  return titles;
}

/**
 * A file's message without an error by which an earlier test of it has failed: the number of these tests takes its place.
 * @param {string} message
 * @param {any[]} testResults
 * @returns {string}
 */
export function eachErrorOnce(message, testResults) {
  const errors = [...errorsOf(testResults).values()];
  const others = new Map(errors.map(([first, ...more]) => [first, more.length]));
  const repeated = new Set(errors.flatMap(([, ...more]) => more));
  let isLeftOut = false;
  return message
    .split('\n')
    .flatMap((line) => {
      const title = TITLE.exec(stripVTControlCharacters(line))?.[1];
      if (others.has(title) || repeated.has(title)) isLeftOut = !others.has(title);
      if (isLeftOut) return [];
      return others.get(title) > 0
        ? [line, `    and ${others.get(title)} more tests of this file, by the same error:`]
        : [line];
    })
    .join('\n');
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
