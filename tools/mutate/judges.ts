import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { filesAt } from './areas.ts';

/** The most files that judge a mutant: further files reach it indirectly, and hardly find mutants that these miss. */
const MOST = 12;
const JUDGE = /^test\/(?:unit|contract)\/.*\.test\.ts$/;
/** Imports that remain in the program. */
const IMPORT = /^(?:import|export)\s(?!type\s)[^;]*?from '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm;

/** The rules of `npm run test:changed`: the contract tests of a path, and the files that set a scene for many tests. */
interface Subjects {
  readonly contractFilesFor: (paths: readonly string[]) => readonly string[];
  readonly SCENES: readonly string[];
}

/** Finds the tests that judge the mutants of a file: those that import the file, the nearest first. */
export class Judges {
  private readonly importersOf = new Map<string, Set<string>>();
  private readonly importsOf = new Map<string, number>();

  private constructor(private readonly subjects: Subjects) {}

  /** Reads the current folder. A file that calls a function of the database counts as importing its text. */
  static async read(): Promise<Judges> {
    const url = pathToFileURL(resolve('test/support/contract-subjects.js')).href;
    const judges = new Judges((await import(url)) as Subjects);
    const files = ['src', 'test', 'tools'].flatMap(filesAt);
    const functions = files.filter((file) => file.endsWith('.sql'));
    const calls = functions.map((file) => ({ file, call: new RegExp(`\\b${basename(file, '.sql')}\\(`) }));
    for (const file of files) {
      const source = readFileSync(file, 'utf8');
      const called = calls.filter(({ call }) => call.test(source)).map((each) => each.file);
      judges.note(file, [...importsIn(source, file), ...called]);
    }
    return judges;
  }

  /**
   * The tests in order: by the number of imports in between, unit tests first, then those with the fewest imports, which are
   * most about each file. After the direct importers come the contract tests of the file's subject, and for a database
   * function also those of its callers.
   */
  of(file: string): readonly string[] {
    const [own = [], ...further] = this.ringsOf(file);
    const near = file.endsWith('.sql') ? [...own, ...(further[0] ?? [])] : [];
    const callers = near.filter((each) => each.startsWith('src/database/') && each.endsWith('.ts'));
    const subjects = [callers, [file]].flatMap((paths) => this.subjects.contractFilesFor(paths));
    const judges = [
      this.judgesIn(own),
      subjects.filter((each) => existsSync(each)),
      ...further.map((ring) => this.judgesIn(ring)),
    ];
    return [...new Set(judges.flat())].slice(0, MOST);
  }

  private note(file: string, imported: readonly string[]): void {
    this.importsOf.set(file, imported.length);
    for (const each of imported) {
      if (each === file || this.subjects.SCENES.includes(file)) continue;
      this.importersOf.set(each, (this.importersOf.get(each) ?? new Set()).add(file));
    }
  }

  /** The files that import the file, those that import these, and so on. */
  private ringsOf(file: string): readonly (readonly string[])[] {
    const seen = new Set([file]);
    const rings: (readonly string[])[] = [];
    for (let ring: readonly string[] = [file]; ring.length > 0; rings.push(ring)) {
      const importers = new Set(ring.flatMap((each) => [...(this.importersOf.get(each) ?? [])]));
      ring = [...importers].filter((each) => !seen.has(each));
      for (const each of ring) seen.add(each);
    }
    return rings;
  }

  private judgesIn(ring: readonly string[]): readonly string[] {
    const rank = (test: string): number => (isUnit(test) ? 0 : 1_000) + (this.importsOf.get(test) ?? 0);
    return ring
      .filter((each) => JUDGE.test(each))
      .toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
  }
}

export function isUnit(test: string): boolean {
  return test.startsWith('test/unit/');
}

function importsIn(source: string, file: string): readonly string[] {
  return [...source.matchAll(IMPORT)]
    .map(([, from, lazy, bare]) => from ?? lazy ?? bare ?? '')
    .filter((path) => path.startsWith('.'))
    .map((path) => join(dirname(file), path));
}
