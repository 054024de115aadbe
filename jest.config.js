/** ESM under Jest: swc compiles, Node's VM modules load. What is in test/slow has jest.slow.config.js. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['<rootDir>/test/{unit,contract,e2e}/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  setupFiles: ['reflect-metadata'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  reporters: ['default', '<rootDir>/test/support/count-reporter.js'],
  testSequencer: '<rootDir>/test/support/longest-first.js',
  testTimeout: 60_000,
  // Most of a run's time is waiting for intervals, leases and processes: two cores have work for more than two workers.
  maxWorkers: 4,
  // Of the concurrent tests of a file: each may have a Paybell or two of its own.
  maxConcurrency: 3,
};
