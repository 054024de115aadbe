/** What Jest's side of a run and its worker know of each other: both are in one process. */

/** `FILE#ID`. */
export type MutantKey = string;

/** What is known of a test file once it has run without a mutant. */
export interface TestFile {
  readonly path: string;
  /** How long its load and its tests took. */
  readonly ms: number;
  /** The mutants that ran outside of its tests, while it was loaded: only a fresh load can show what they do. */
  readonly atLoad: readonly MutantKey[];
}

/** What a worker is asked to do. */
export interface Task {
  /** The mutated files, relative to the project. */
  readonly files: readonly string[];
  /** Only with the tests that import one of these files themselves. */
  readonly isDirect: boolean;
  /** The mutants that no test has found yet. */
  readonly alive: readonly MutantKey[];
  /** Those of them that have been tried in fresh loads already. */
  readonly tried: readonly MutantKey[];
  /** The test files that have had their turn. */
  readonly known: readonly TestFile[];
}

export type Report =
  | { readonly kind: 'begun'; readonly key: MutantKey }
  | { readonly kind: 'met'; readonly keys: readonly MutantKey[] }
  | { readonly kind: 'killed'; readonly key: MutantKey; readonly by: string }
  | { readonly kind: 'revived'; readonly keys: readonly MutantKey[] }
  | { readonly kind: 'tried'; readonly key: MutantKey }
  | { readonly kind: 'known'; readonly test: TestFile }
  | { readonly kind: 'complete' };

export interface Session {
  readonly files: readonly string[];
  readonly task: Task;
  readonly alive: Set<MutantKey>;
  readonly report: (report: Report) => void;
  /** The mutant that is on; null: the source as it is. */
  on: MutantKey | null;
  /** How often it was asked for: a loop without an end would ask for ever. */
  asked: number;
  /** While no mutant is on: what the running test has met, or what was met outside of tests. */
  met: Set<MutantKey>;
  atLoad: readonly MutantKey[];
  /** When the tests of the file had run without a mutant. */
  ranAt: number;
  /** Whether this test file is asked about the mutant. */
  canTry: (test: string, key: MutantKey) => boolean;
}

/** The name under which the switched sources find their registry. */
export const REGISTRY = 'paybellMutants';

const SESSION = Symbol.for('paybell.mutate');
const holder = globalThis as { [SESSION]?: Session };

export function beginSession(task: Task, report: (report: Report) => void): Session {
  const alive = new Set(task.alive);
  const begun: Session = {
    files: task.files,
    task,
    alive,
    report,
    on: null,
    asked: 0,
    met: new Set(),
    atLoad: [],
    ranAt: 0,
    canTry: () => true,
  };
  holder[SESSION] = begun;
  return begun;
}

export function fileOf(key: MutantKey): string {
  return key.slice(0, key.lastIndexOf('#'));
}

export function session(): Session {
  const current = holder[SESSION];
  if (current === undefined) throw new Error('no mutation run is under way');
  return current;
}

/** Notes that a test file has found the mutant. */
export function killed(key: MutantKey, by: string): void {
  const { alive, report } = session();
  if (alive.delete(key)) report({ kind: 'killed', key, by });
}

/** Takes it back: the test file fails without a mutant too, since a mutant has changed what it shares. */
export function revived(keys: readonly MutantKey[]): void {
  const { alive, report } = session();
  for (const key of keys) alive.add(key);
  report({ kind: 'revived', keys });
}
