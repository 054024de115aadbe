import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
  '--silent',
  '--runInBand',
  '--bail',
  '--json',
  '--outputFile=mutate.json',
  '--testSequencer=./test/support/as-named.js',
];
/** A property test draws the same cases for each mutant, and need not find the smallest failing case. */
const WITH_CASES = "import fc from 'fast-check';";
const SAME_CASES = '\nfc.configureGlobal({ seed: 1, endOnFailure: true });\n';

/** The most processor time of a start and a test file, which other programs do not affect. */
const START_CPU_S = 6;
const FILE_CPU_S = 3;

export interface Bounds {
  /** Multiplies that time. */
  readonly times: number;
  /** For a test that waits. */
  readonly waitS: number;
}

/** `late`: beyond a bound. `failed` names the file. */
export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'late' }
  | { readonly kind: 'failed'; readonly test: string };

interface JestResults {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
  }[];
}

/** A copy of the project in which processes of its own judge one mutant at a time. */
export class Sandbox {
  private readonly folder = mkdtempSync(join(tmpdir(), 'paybell-mutate-'));

  constructor() {
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }));
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
    const files = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e8 }).split('\0');
    for (const file of files.filter((each) => each !== '' && existsSync(each)))
      cpSync(file, join(this.folder, file));
    symlinkSync(join(process.cwd(), 'node_modules'), join(this.folder, 'node_modules'));
    for (const file of files.filter((each) => /^test\/.*\.ts$/.test(each) && existsSync(each))) {
      const source = readFileSync(file, 'utf8');
      if (source.includes(WITH_CASES)) this.write(file, source + SAME_CASES);
    }
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Runs one test file after another, up to the first failure. */
  async run(tests: readonly string[], { times, waitS }: Bounds): Promise<Outcome> {
    const cpuS = times * (START_CPU_S + FILE_CPU_S * tests.length);
    const results = join(this.folder, 'mutate.json');
    rmSync(results, { force: true });
    const args = [...JEST, `--testTimeout=${waitS * 1_000}`, '--runTestsByPath', ...tests];
    const signal = await new Promise((resolve) => {
      const env = { ...process.env, NODE_OPTIONS: '', MUTATE_ORDER: tests.join(',') };
      const limited = ['-c', `ulimit -t ${cpuS}; exec "$0" "$@"`, process.execPath, ...args];
      const jest = spawn('/bin/sh', limited, { cwd: this.folder, env, stdio: 'ignore' });
      const watch = setTimeout(() => jest.kill('SIGTERM'), tests.length * waitS * 1_000);
      jest.once('exit', (_code, endedBy) => {
        clearTimeout(watch);
        resolve(endedBy);
      });
    });
    if (signal !== null) return { kind: 'late' };
    // Code that all tests need has failed before the first test.
    if (!existsSync(results)) return { kind: 'failed', test: tests[0] ?? '' };
    return this.outcomeOf(JSON.parse(readFileSync(results, 'utf8')) as JestResults);
  }

  private outcomeOf({ success, testResults }: JestResults): Outcome {
    if (success) return { kind: 'passed' };
    const failed = testResults.find(({ status }) => status === 'failed');
    if (failed === undefined || failed.message.includes('Exceeded timeout of')) return { kind: 'late' };
    return { kind: 'failed', test: failed.name.slice(this.folder.length + 1) };
  }
}
