/** Prints the counts of the whole run, and last of all the reason if tests were skipped for want of a broker. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    // A file that could not be loaded has no tests of its own to count.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const counts = [`${results.numPassedTests} passed`, `${failed} failed`];
    if (skipped > 0) counts.push(`${skipped} skipped`);
    const noBroker = process.env.PAYBELL_TEST_NO_AMQP;
    const reason = noBroker === undefined ? '' : `RabbitMQ tests did not run: ${noBroker}\n`;
    // Everything else of Jest is printed by then.
    process.once('exit', () => process.stdout.write(`${counts.join(', ')}\n${reason}`));
  }
}
