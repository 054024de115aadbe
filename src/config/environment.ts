import { misspeltNames } from './misspelt-names.ts';
import type { Rows, Section, Setting, ValuesOf, Variables } from './setting.ts';

/** One message about all invalid variables. It never contains a secret. */
export class InvalidConfig extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/** The environment variables, and all of their problems instead of only the first. */
export class Environment implements Variables {
  /** A set, since a setting may be read for several providers. */
  private readonly problems = new Set<string>();
  private readonly refused = new Set<string>();
  /** Lines for the log at the start. */
  readonly warnings: string[] = [];

  constructor(private readonly variables: Readonly<Record<string, string | undefined>>) {}

  /** An empty variable counts as unset, as in compose files. */
  isSet(name: string): boolean {
    return this.textOf(name) !== null;
  }

  refuse(name: string, problem: string): undefined {
    this.refused.add(name);
    this.problems.add(`${name} ${problem}`);
  }

  warn(name: string, words: string): void {
    this.warnings.push(`${name} ${words}`);
  }

  isRefused(name: string): boolean {
    return this.refused.has(name);
  }

  /** The values of a section; a refused variable gets its default. */
  readSection<R extends Rows>(section: Section<R>): { section: Section<R>; values: ValuesOf<R> } {
    const read = this.read(section.rows);
    const values = section.withDefaults?.(read, this) ?? read;
    section.check?.(values, this);
    return { section, values };
  }

  /** The values of all rows; a refused variable gets its default. */
  read<R extends Rows>(rows: R): ValuesOf<R> {
    const values = Object.entries(rows).map(([key, setting]) => [key, this.valueOf(setting)]);
    return Object.fromEntries(values) as ValuesOf<R>;
  }

  /** Requires the rows that are marked as required. `because` is the setting that needs them. */
  requireAll(rows: Rows, because: string): void {
    for (const { name, isRequired } of Object.values(rows))
      if (isRequired === true && !this.isSet(name)) this.refuse(name, `is required with ${because}`);
  }

  /** Refuses variables whose names resemble one of `known`, the names of all settings. */
  refuseMisspelt(known: ReadonlySet<string>): void {
    for (const { name, meant } of misspeltNames(this.variables, known))
      this.refuse(name, `is not a setting: did you mean ${meant}?`);
  }

  /** Throws InvalidConfig if anything was refused. */
  throwIfRefused(): void {
    if (this.problems.size > 0) throw new InvalidConfig([...this.problems]);
  }

  private valueOf(setting: Setting): unknown {
    const text = this.textOf(setting.name) ?? setting.default;
    if (text === null) return setting.unset;
    const value = setting.parse(text, (problem) => this.refuse(setting.name, problem));
    return this.isRefused(setting.name) ? this.defaultOf(setting) : value;
  }

  private defaultOf(setting: Setting): unknown {
    return setting.default === null ? setting.unset : setting.parse(setting.default, () => undefined);
  }

  private textOf(name: string): string | null {
    const value = this.variables[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }
}
