/** The slowest files, longest first: what a fresh clone, without Jest's cache of times, starts with. See `npm test`'s last lines. */
export const SLOW_FILES = ['test/contract/broker-away.test.ts', 'test/e2e/circuit.test.ts'];
