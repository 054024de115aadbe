import everyRun from './jest.config.js';

/** `npm run test:slow`: what only minutes of real time prove. */
export default { ...everyRun, testMatch: ['<rootDir>/test/slow/**/*.test.ts'] };
