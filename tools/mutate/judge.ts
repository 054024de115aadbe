import { readFileSync } from 'node:fs';

import type { Placed } from './areas.ts';
import { isUnit, type Judges } from './judges.ts';
import { mutated } from './mutants.ts';
import type { Bounds, Outcome, Sandbox } from './sandbox.ts';

/** `by chance`: of three runs of the same tests with the mutant, two failed. */
export type Verdict = 'killed' | 'survived' | 'time-out' | 'by chance' | 'no test';

export interface Found {
  readonly verdict: Verdict;
  /** The test file that found the mutant. */
  readonly by: string;
}

const NONE: Found = { verdict: 'no test', by: '' };
const SURVIVED: Found = { verdict: 'survived', by: '' };
const PASSED: Outcome = { kind: 'passed' };

const USUAL: Bounds = { times: 1, waitS: 20 };
/** For a mutant that was late beside others, and now has the machine for itself. */
const GENEROUS: Bounds = { times: 2, waitS: 60 };

type Run = (tests: readonly string[]) => Promise<Outcome>;

/** Judges mutants, one in each sandbox. A test that also fails without a mutant judges none. */
export class Judge {
  private readonly fit = new Map<string, Promise<boolean>>();

  constructor(
    private readonly judges: Judges,
    private readonly sandboxes: readonly Sandbox[],
    private readonly onVerdict: (mutant: Placed, found: Found) => void,
  ) {}

  async judgeAll(mutants: readonly Placed[]): Promise<ReadonlyMap<Placed, Verdict>> {
    const verdicts = new Map<Placed, Verdict>();
    const queue = [...mutants];
    const work = async (sandbox: Sandbox, bounds: Bounds): Promise<void> => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift())
        verdicts.set(mutant, await this.judge(mutant, sandbox, bounds));
    };
    await Promise.all(this.sandboxes.map((sandbox) => work(sandbox, USUAL)));
    queue.push(...mutants.filter((mutant) => verdicts.get(mutant) === 'time-out'));
    await Promise.all(this.sandboxes.slice(0, 1).map((sandbox) => work(sandbox, GENEROUS)));
    return verdicts;
  }

  private async judge(mutant: Placed, sandbox: Sandbox, bounds: Bounds): Promise<Verdict> {
    const tests = this.judges.of(mutant.file);
    const source = readFileSync(mutant.file, 'utf8');
    const withMutant: Run = async (some) => {
      sandbox.write(mutant.file, mutated(source, mutant));
      const outcome = await sandbox.run(some, bounds);
      sandbox.write(mutant.file, source);
      return outcome;
    };
    const found = tests.length === 0 ? NONE : await this.verdictBy(tests, withMutant, sandbox);
    this.onVerdict(mutant, found);
    return found.verdict;
  }

  /** Unit tests need no servers, and go first. A test that fails with servers beside others must fail once more alone. */
  private async verdictBy(tests: readonly string[], withMutant: Run, sandbox: Sandbox): Promise<Found> {
    const past = new Set<string>();
    let found = SURVIVED;
    for (const group of [tests.filter(isUnit), tests.filter((test) => !isUnit(test))]) {
      for (;;) {
        const left = group.filter((test) => !past.has(test));
        const outcome = left.length === 0 ? PASSED : await withMutant(left);
        if (outcome.kind === 'passed') break;
        if (outcome.kind === 'late') return { verdict: 'time-out', by: '' };
        const by = outcome.test;
        const isFit = await this.isFit(by, sandbox);
        if (isFit && (isUnit(by) || (await withMutant([by])).kind !== 'passed'))
          return { verdict: 'killed', by };
        // A test that fails once and then passes twice was disturbed from outside.
        if (isFit && (await withMutant([by])).kind !== 'passed') found = { verdict: 'by chance', by };
        past.add(by);
      }
    }
    return found;
  }

  private isFit(test: string, sandbox: Sandbox): Promise<boolean> {
    const fit = this.fit.get(test) ?? sandbox.run([test], GENEROUS).then(({ kind }) => kind === 'passed');
    this.fit.set(test, fit);
    void fit.then((isFit) => {
      if (!isFit) process.stderr.write(`${test} fails without a mutant and is left out\n`);
    });
    return fit;
  }
}
