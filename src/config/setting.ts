export const ROLES = ['api', 'tracker', 'dispatcher', 'public'] as const;
export type Role = (typeof ROLES)[number];

/** The roles that ask the provider. */
export const ASKING: readonly Role[] = ['api', 'tracker'];

/** Reports what is wrong with a value, which may be a secret: a problem does not repeat a secret. */
export type Refuse = (problem: string) => undefined;

/** The columns that every row of the table has, whatever its kind. */
export interface Row {
  /** For docs/running/configuration.md, as Markdown with links from there, and for .env.example. */
  readonly text: string;
  /** The values it takes as docs/running/configuration.md shows them, where the kind of the setting does not say enough. */
  readonly values?: string;
  /** The roles that use it and must have the same value in all replicas; without it, replicas may differ. */
  readonly agreed?: readonly Role[];
  /** Replicas have to agree only on whether it is set. */
  readonly isAgreedByPresence?: true;
  /** Its value gives access: no message and no plain fingerprint shows it. */
  readonly isSecret?: true;
  /** The provider that it belongs to does not start without it. */
  readonly isRequired?: true;
}

/** One environment variable that Paybell reads. */
export interface Setting<T = unknown> extends Row {
  readonly name: string;
  /** As a user would write it; null: the variable may be unset. */
  readonly default: string | null;
  readonly values: string;
  /** The value where the variable and its default are missing. */
  readonly unset: T;
  /** Undefined: the value was refused. */
  parse(value: string, refuse: Refuse): T | undefined;
}

/** The questions that a section may ask of the environment. */
export interface Variables {
  isSet(name: string): boolean;
  isRefused(name: string): boolean;
  refuse(name: string, problem: string): undefined;
  /** Keeps what is said at the start of a variable that is taken. */
  warn(name: string, words: string): void;
}

/** Settings by the name of their property in the code. */
export type Rows = Readonly<Record<string, Setting>>;
export type ValuesOf<R extends Rows> = {
  readonly [Key in keyof R]: R[Key] extends Setting<infer T> ? T : never;
};

/** Settings that are about one thing: a heading and a table of docs/running/configuration.md. */
export interface Section<R extends Rows = Rows> {
  readonly heading: string;
  /** The Markdown before the table. */
  readonly about: string;
  readonly rows: R;
  /** Fills in the defaults that follow from other variables. */
  withDefaults?(values: ValuesOf<R>, env: Variables): ValuesOf<R>;
  /** Refuses values that do not fit together. A refused variable has its default. */
  check?(values: ValuesOf<R>, env: Variables): void;
}

/** How a provider is asked. */
export interface RequestLimits {
  /** The time limit of one request. */
  readonly timeoutMs: number;
  /** Status requests a minute, shared by all replicas; 0: no limit. */
  readonly maxRpm: number;
  /** Requests in flight, in this process. */
  readonly maxConcurrency: number;
}

/** The settings that the folder of a provider adds. */
export interface ProviderSection<R extends Rows = Rows> extends Section<R> {
  /** The factor by which its time runs faster than the clock; without it, 1. */
  speedOf?(values: ValuesOf<R>): number;
}

/** Lets the compiler read the types of the values from the rows. */
export function section<R extends Rows>(table: Section<R>): Section<R> {
  return table;
}

export function providerSection<R extends Rows>(table: ProviderSection<R>): ProviderSection<R> {
  return table;
}
