import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

import jestRunner, { CallbackTestRunner, type Test, type TestWatcher } from 'jest-runner';

import { killed, session, type MutantKey, type Task, type TestFile } from '../../../tools/mutate/session.ts';

/** Node gives the class itself, where the compiler reads the types of a CommonJS module. */
const TestRunner = jestRunner as unknown as typeof jestRunner.default;

/** What a process may grow to: each load of a test file leaves something behind. */
const MOST_BYTES = 1_500_000_000;

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
    for (const test of inOrder(tests, task)) {
      if (task.known.some(({ path }) => path === nameOf(test))) continue;
      if (isTooLarge()) return;
      const file = await this.firstRun(test, watcher);
      known.push(file);
      report({ kind: 'known', test: file });
    }
    if (await this.tryLoads(known, tests, watcher)) report({ kind: 'complete' });
  }

  private async firstRun(test: Test, watcher: TestWatcher): Promise<TestFile> {
    const state = Object.assign(session(), { on: null, met: new Set<MutantKey>(), atLoad: [] });
    const startedAt = performance.now();
    const passed = await this.passes(test, watcher);
    if (!passed) process.stderr.write(`${nameOf(test)} fails without a mutant and is left out\n`);
    return { path: nameOf(test), ms: performance.now() - startedAt, atLoad: passed ? state.atLoad : [] };
  }

  /** False: the process has become too large to go on. */
  private async tryLoads(
    known: readonly TestFile[],
    tests: readonly Test[],
    watcher: TestWatcher,
  ): Promise<boolean> {
    const { alive, task, report } = session();
    const byPath = new Map(tests.map((test) => [nameOf(test), test]));
    for (const key of task.alive.filter((each) => alive.has(each) && !task.tried.includes(each))) {
      if (isTooLarge()) return false;
      report({ kind: 'begun', key });
      const loading = known
        .filter(({ atLoad }) => atLoad.includes(key))
        .sort((one, other) => one.ms - other.ms);
      for (const { path } of loading) {
        const test = byPath.get(path);
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

/** The tests that import a mutated file themselves come first: they find most mutants, and soonest. */
function inOrder(tests: readonly Test[], { files, isDirect }: Task): readonly Test[] {
  const direct = tests.filter(({ path }) => imports(readFileSync(path, 'utf8'), files));
  return isDirect ? direct : [...direct, ...tests.filter((test) => !direct.includes(test))];
}

function imports(source: string, files: readonly string[]): boolean {
  return files.some((file) => source.includes(`/${file}'`));
}

function nameOf({ path, context }: Test): string {
  return relative(context.config.rootDir, path);
}

function isTooLarge(): boolean {
  return process.memoryUsage.rss() > MOST_BYTES;
}
