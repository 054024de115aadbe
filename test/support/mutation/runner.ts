import { basename, relative } from 'node:path';

import jestRunner, { CallbackTestRunner, type Test, type TestWatcher } from 'jest-runner';

import { fileOf, killed, session, type MutantKey, type TestFile } from '../../../tools/mutate/session.ts';
import { DirectTests } from './direct-tests.ts';

/** Node gives the class itself, where the compiler reads the types of a CommonJS module. */
const TestRunner = jestRunner as unknown as typeof jestRunner.default;

/** What a process may grow to: each load of a test file leaves something behind. */
const MOST_BYTES = 1_500_000_000;
/** A load takes a second: a mutant has so many, those of the tests of its file first, and then the quickest. */
const MOST_LOADS = 3;

/** Runs each test file once, with the mutants that its tests meet, and then loads files anew for what is met at load only. */
export default class MutationRunner extends CallbackTestRunner {
  override readonly isSerial = true;
  private readonly made: ConstructorParameters<typeof CallbackTestRunner>;

  constructor(...made: ConstructorParameters<typeof CallbackTestRunner>) {
    super(...made);
    this.made = made;
  }

  async runTests(tests: Test[], watcher: TestWatcher): Promise<void> {
    const { task, report } = session();
    const known = [...task.known];
    for (const test of this.inOrder(tests)) {
      if (task.known.some(({ path }) => path === nameOf(test))) continue;
      if (isTooLarge()) return;
      const file = await this.firstRun(test, watcher);
      known.push(file);
      report({ kind: 'known', test: file });
    }
    if (await this.tryLoads(known, tests, watcher)) report({ kind: 'complete' });
  }

  /** The tests that import a mutated file themselves come first, those about the fewest files before the others. */
  private inOrder(tests: readonly Test[]): readonly Test[] {
    const state = session();
    const { files, isDirect } = state.task;
    const directTests = new DirectTests(tests[0]?.context.config.rootDir ?? '.', tests.map(nameOf));
    if (isDirect) state.canTry = (test, key) => directTests.of(fileOf(key)).has(test);
    const isDirectTest = (test: Test): boolean =>
      files.some((file) => directTests.of(file).has(nameOf(test)));
    const direct = tests
      .filter(isDirectTest)
      .sort((one, other) => directTests.breadthOf(nameOf(one)) - directTests.breadthOf(nameOf(other)));
    return isDirect ? direct : [...direct, ...tests.filter((test) => !direct.includes(test))];
  }

  private async firstRun(test: Test, watcher: TestWatcher): Promise<TestFile> {
    const state = Object.assign(session(), { on: null, met: new Set<MutantKey>(), atLoad: [], ranAt: 0 });
    const startedAt = performance.now();
    const passed = await this.passes(test, watcher);
    if (!passed) process.stderr.write(`${nameOf(test)} fails without a mutant and is left out\n`);
    return { path: nameOf(test), ms: state.ranAt - startedAt, atLoad: passed ? state.atLoad : [] };
  }

  /** False: the process has become too large to go on. */
  private async tryLoads(
    known: readonly TestFile[],
    tests: readonly Test[],
    watcher: TestWatcher,
  ): Promise<boolean> {
    const { alive, task, report, canTry } = session();
    const byPath = new Map(tests.map((test) => [nameOf(test), test]));
    for (const key of task.alive.filter((each) => alive.has(each) && !task.tried.includes(each))) {
      if (isTooLarge()) return false;
      const loading = known
        .filter(({ path, atLoad }) => atLoad.includes(key) && canTry(path, key))
        .sort((one, other) => Number(isAbout(other, key)) - Number(isAbout(one, key)) || one.ms - other.ms)
        .slice(0, MOST_LOADS);
      for (const { path } of loading) {
        const test = byPath.get(path);
        report({ kind: 'begun', key });
        Object.assign(session(), { on: key, asked: 0 });
        if (test === undefined || (await this.passes(test, watcher))) continue;
        killed(key, path);
        break;
      }
      report({ kind: 'tried', key });
    }
    return true;
  }

  private async passes(test: Test, watcher: TestWatcher): Promise<boolean> {
    let isPassed = false;
    const runner = new TestRunner(...this.made);
    runner.on('test-file-success', ([, result]) => {
      isPassed = result.numFailingTests === 0 && result.testExecError === undefined;
    });
    await runner.runTests([test], watcher, { serial: true });
    return isPassed;
  }
}

/** True for `rate-limit.test.ts` and `rate-limit-transitions.ts`. */
function isAbout({ path }: TestFile, key: MutantKey): boolean {
  return basename(fileOf(key)).startsWith(basename(path, '.test.ts'));
}

function nameOf({ path, context }: Test): string {
  return relative(context.config.rootDir, path);
}

function isTooLarge(): boolean {
  return process.memoryUsage.rss() > MOST_BYTES;
}
