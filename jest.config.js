/**
 * ESM under Jest: swc compiles, Node's VM modules load. A project is a kind of test; `npm test` runs unit, contract and
 * main, `npm run test:e2e` the other two, `npm run test:slow` what only minutes of real time prove.
 */

import { bundledLibraries } from './test/support/bundled-libraries.js';

/** The main job end to end, kills and faults. */
const MAIN = ['main-job', 'kill', 'database-faults', 'broker-faults', 'receiver-faults'].map(
  (name) => `<rootDir>/test/e2e/${name}.test.ts`,
);

const everyProject = {
  // The examples import the client by its name, and are tested without a build.
  moduleNameMapper: {
    ...(await bundledLibraries()),
    '^paybell-client$': '<rootDir>/packages/client/src/index.ts',
  },
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/plain-globals.js',
  // With the sources, so that Jest knows which tests a change of them touches.
  roots: ['src', 'test', 'tools'].map((folder) => `<rootDir>/${folder}`),
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
};

/** What starts a PostgreSQL and finds a RabbitMQ for the run, once for all projects that name it. */
const servers = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

const files = (folder) => `<rootDir>/test/${folder}/**/*.test.ts`;

const project = (displayName, more) => ({ ...everyProject, displayName, ...more });

export default {
  projects: [
    project('unit', { testMatch: [files('unit')] }),
    project('contract', { testMatch: [files('contract')], ...servers }),
    project('main', { testMatch: MAIN, ...servers }),
    project('tools', { testMatch: [files('tools')] }),
    project('e2e', { testMatch: [files('e2e')], testPathIgnorePatterns: MAIN, ...servers }),
    project('slow', { testMatch: [files('slow')], ...servers }),
  ],
  reporters: ['<rootDir>/test/support/count-reporter.js', 'default'],
  testSequencer: '<rootDir>/test/support/longest-first.js',
  testTimeout: 120_000,
  // Most of a run's time is waiting for intervals, leases and processes: two cores have work for more than two workers.
  maxWorkers: 4,
  // Of the concurrent tests of a file: each may have a Paybell or two of its own.
  maxConcurrency: 3,
};
