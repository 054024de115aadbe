import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const WITH_DATABASE = 100;

/** The tests that import a file themselves; where none does, those of the files that import it. */
export class DirectTests {
  private readonly tests: ReadonlyMap<string, string>;
  private readonly found = new Map<string, ReadonlySet<string>>();
  private readonly sources: ReadonlyMap<string, string>;

  /** Paths are relative to the project. */
  constructor(root: string, tests: readonly string[]) {
    const read = (path: string): [string, string] => [path, readFileSync(join(root, path), 'utf8')];
    this.tests = new Map(
      tests.map(read).map(([path, source]) => [path, source + suitesOf(root, path, source)]),
    );
    this.sources = new Map(sourcesIn(root).map(read));
  }

  of(file: string): ReadonlySet<string> {
    const found = this.found.get(file) ?? this.search(file);
    this.found.set(file, found);
    return found;
  }

  /** How many files of the source a test imports: the fewer, the more it is about each of them. A database takes time. */
  breadthOf(test: string): number {
    const imports = this.tests.get(test)?.match(/from '[./]+\/src\//g)?.length ?? 0;
    return test.startsWith('test/unit/') ? imports : imports + WITH_DATABASE;
  }

  private search(file: string): ReadonlySet<string> {
    const direct = importersIn(this.tests, `/${file}'`);
    if (direct.length > 0) return new Set(direct);
    const name = file.slice(file.lastIndexOf('/'));
    const users = importersIn(this.sources, `${name}'`).filter((user) => user !== file);
    return new Set(users.flatMap((user) => [...this.of(user)]));
  }
}

/** What stands in the files beside a test that it runs as its own. */
function suitesOf(root: string, test: string, source: string): string {
  return [...source.matchAll(/^import .+ from '(\.\/.+)';$/gm)]
    .map(([, path = '']) => readFileSync(join(root, dirname(test), path), 'utf8'))
    .join('');
}

function sourcesIn(root: string): readonly string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join('src', path));
}

function importersIn(files: ReadonlyMap<string, string>, ending: string): readonly string[] {
  return [...files].filter(([, source]) => source.includes(ending)).map(([path]) => path);
}
