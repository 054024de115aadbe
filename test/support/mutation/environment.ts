import { relative } from 'node:path';

import { TestEnvironment } from 'jest-environment-node';

import { killed, REGISTRY, session, type MutantKey } from '../../../tools/mutate/session.ts';
import { repeat, testsIn, type Block, type Test } from './warm-tests.ts';

/** A mutant is asked for so often only by a loop that has no end any more. */
const MOST_ASKED = 2_000_000;
const LEAST_MS = 800;
const TIMES_LONGER = 10;

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
    if (test !== undefined && on === null && name === 'test_start') this.begin();
    if (test !== undefined && on === null && name === 'test_done') this.end(test);
    if (name === 'test_skip') session().met = this.outside;
    if (name === 'run_finish' && on === null) await this.tryMutants(state.rootDescribeBlock);
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

  private async tryMutants(root: Block): Promise<void> {
    const tests = testsIn(root).filter((test) => this.metBy.has(test) && test.errors.length === 0);
    const state = session();
    const met = new Set([...this.metBy.values()].flatMap((keys) => [...keys]));
    state.atLoad = [...this.outside];
    state.report({ kind: 'met', keys: [...new Set([...met, ...this.outside])] });
    const isRepeatable =
      !tests.some(({ concurrent }) => concurrent) && (await repeat(root, new Set(tests), this.mostMs(tests)));
    if (!isRepeatable) {
      process.stderr.write(`${this.path} can't be repeated while it is loaded\n`);
      state.atLoad = [...new Set([...met, ...this.outside])];
      return;
    }
    for (const key of [...met].filter((each) => state.alive.has(each))) await this.tryOne(key, root, tests);
  }

  private async tryOne(key: MutantKey, root: Block, tests: readonly Test[]): Promise<void> {
    const state = session();
    const meeting = tests.filter((test) => this.metBy.get(test)?.has(key) === true);
    state.report({ kind: 'begun', key });
    Object.assign(state, { on: key, asked: 0 });
    const isPassed = await repeat(root, new Set(meeting), this.mostMs(meeting));
    state.on = null;
    if (!isPassed) killed(key, this.path);
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
