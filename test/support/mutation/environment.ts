import { relative } from 'node:path';

import { TestEnvironment } from 'jest-environment-node';

import { killed, REGISTRY, revived, session, type MutantKey } from '../../../tools/mutate/session.ts';
import { repeat, testsIn, type Block, type Hook, type Test } from './warm-tests.ts';

/** A mutant is asked for so often only by a loop that has no end any more. */
const MOST_ASKED = 2_000_000;
const LEAST_MS = 800;
const TIMES_LONGER = 10;
/** Tests that take longer run alone, after the others: most mutants are found before. */
const QUICK_MS = 20;
/** What one mutant may take of the slow tests of one file: the rest of a simulation's variants would hardly find it. */
const MOST_SLOW_MS = 4_000;

interface Event {
  readonly name: string;
  readonly test?: Test;
}

/**
 * Tells the switched sources which mutant is on. The first run of a test file shows which mutants each test meets. Then, while
 * the file is still loaded, it runs these tests again for one mutant after another that no test has found yet.
 */
export default class MutationEnvironment extends TestEnvironment {
  private readonly path: string;
  private readonly metBy = new Map<Test, ReadonlySet<MutantKey>>();
  private outside: Set<MutantKey> = new Set();
  private startedAt = 0;
  private readonly tookMs = new Map<Test, number>();
  private hasFailed = false;
  private last: readonly Hook[] = [];

  constructor(...[config, context]: ConstructorParameters<typeof TestEnvironment>) {
    super(config, context);
    this.path = relative(config.projectConfig.rootDir, context.testPath);
  }

  override async setup(): Promise<void> {
    await super.setup();
    Object.assign(this.global, { [REGISTRY]: registryOf });
  }

  async handleTestEvent({ name, test }: Event, state: { readonly rootDescribeBlock: Block }): Promise<void> {
    const { on } = session();
    if (name === 'run_start') this.outside = session().met;
    if (name === 'run_start' && on === null) this.putOff(state.rootDescribeBlock);
    if (test !== undefined && on === null && name === 'test_start') this.begin();
    if (test !== undefined && on === null && name === 'test_done') this.end(test);
    // In a fresh load for a mutant the first failure is enough.
    if (test !== undefined && on !== null) this.hurry(name, test);
    if (name === 'test_skip') session().met = this.outside;
    if (name === 'run_finish' && on === null) {
      await this.tryMutants(state.rootDescribeBlock);
      for (const { fn } of this.last) await fn.call({});
    }
  }

  /** What the file undoes after all its tests is undone after the last mutant. */
  private putOff({ hooks }: Block): void {
    this.last = hooks.filter(({ type }) => type === 'afterAll');
    hooks.splice(0, hooks.length, ...hooks.filter((hook) => !this.last.includes(hook)));
  }

  private begin(): void {
    this.startedAt = performance.now();
    session().met = new Set();
  }

  private end(test: Test): void {
    this.metBy.set(test, session().met);
    this.tookMs.set(test, performance.now() - this.startedAt);
    session().met = this.outside;
  }

  private hurry(event: string, test: Test): void {
    if (event === 'test_done' && test.errors.length > 0) this.hasFailed = true;
    if (event === 'test_start' && this.hasFailed) test.mode = 'skip';
  }

  private async tryMutants(root: Block): Promise<void> {
    const tests = testsIn(root).filter((test) => this.metBy.has(test) && test.errors.length === 0);
    const state = session();
    state.ranAt = performance.now();
    const met = new Set([...this.metBy.values()].flatMap((keys) => [...keys]));
    state.atLoad = [...this.outside];
    state.report({ kind: 'met', keys: [...new Set([...met, ...this.outside])] });
    const failure = tests.some(({ concurrent }) => concurrent)
      ? 'its tests run side by side'
      : await repeat(root, new Set(tests), this.mostMs(tests));
    if (failure !== null) {
      process.stderr.write(`${this.path} can't be repeated while it is loaded: ${failure}\n`);
      state.atLoad = [...new Set([...met, ...this.outside])];
      return;
    }
    const found: MutantKey[] = [];
    const tried = [...met].filter((key) => state.alive.has(key) && state.canTry(this.path, key));
    for (const key of tried) if (await this.finds(key, root, tests)) found.push(key);
    if (found.length === 0 || (await repeat(root, new Set(tests), this.mostMs(tests))) === null) return;
    process.stderr.write(`${this.path} has been changed by a mutant\n`);
    revived(found);
    state.atLoad = [...new Set([...met, ...this.outside])];
  }

  private async finds(key: MutantKey, root: Block, tests: readonly Test[]): Promise<boolean> {
    const state = session();
    const meeting = tests.filter((test) => this.metBy.get(test)?.has(key) === true);
    state.report({ kind: 'begun', key });
    for (const batch of this.batchesOf(meeting)) {
      Object.assign(state, { on: key, asked: 0 });
      const failure = await repeat(root, new Set(batch), this.mostMs(batch));
      state.on = null;
      if (failure === null) continue;
      killed(key, this.path);
      return true;
    }
    return false;
  }

  private batchesOf(tests: readonly Test[]): readonly (readonly Test[])[] {
    const ms = (test: Test): number => this.tookMs.get(test) ?? 0;
    const slow = tests.filter((test) => ms(test) > QUICK_MS).sort((one, other) => ms(one) - ms(other));
    let sum = 0;
    const tried = slow.filter((test) => (sum += ms(test)) <= MOST_SLOW_MS || test === slow[0]);
    return [tests.filter((test) => ms(test) <= QUICK_MS), ...tried.map((test) => [test])];
  }

  /** What takes longer than this hangs. */
  private mostMs(tests: readonly Test[]): number {
    return LEAST_MS + TIMES_LONGER * tests.reduce((sum, test) => sum + (this.tookMs.get(test) ?? 0), 0);
  }
}

/** The function by which a switched file asks for its mutants: it is asked millions of times, and makes no texts then. */
function registryOf(file: string): (id: number) => boolean {
  const state = session();
  const keys: MutantKey[] = [];
  let [known, knownId]: [MutantKey | null, number] = [null, -1];
  return (id) => {
    if (state.on === null) {
      state.met.add((keys[id] ??= `${file}#${id}`));
      return false;
    }
    if (state.on !== known) {
      known = state.on;
      knownId = known.startsWith(`${file}#`) ? Number(known.slice(file.length + 1)) : -1;
    }
    if (id !== knownId) return false;
    state.asked += 1;
    if (state.asked > MOST_ASKED) throw new Error('a loop without an end');
    return true;
  };
}
