import everyRun from './jest.config.js';

/** `npm run test:slow`: what only minutes of real time prove. Their processes are many: two files at once keep them on time. */
export default { ...everyRun, testMatch: ['<rootDir>/test/slow/**/*.test.ts'], maxWorkers: 2 };
