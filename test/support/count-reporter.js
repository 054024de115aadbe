import { relative } from 'node:path';

const SLOWEST = 10;

/**
 * Prints the ten slowest files, the counts of the whole run, and last of all the reason if tests were skipped for want
 * of a broker.
 */
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
    const noBroker = process.env.PAYBELL_TEST_NO_AMQP;
    const reason = noBroker === undefined ? '' : `RabbitMQ tests did not run: ${noBroker}\n`;
    const slowest = this.slowestOf(results.testResults);
    // Everything else of Jest is printed by then.
    process.once('exit', () => process.stdout.write(`${slowest}${counts.join(', ')}\n${reason}`));
  }

  slowestOf(files) {
    const timed = files.map(({ testFilePath, perfStats }) => ({
      name: relative(this.rootDir, testFilePath),
      seconds: (perfStats.end - perfStats.start) / 1_000,
    }));
    const total = timed.reduce((sum, { seconds }) => sum + seconds, 0);
    const lines = timed
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, SLOWEST)
      .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}\n`);
    return `Slowest of ${timed.length} files (${total.toFixed(0)} s together):\n${lines.join('')}`;
  }
}
