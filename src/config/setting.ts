export const ROLES = ['api', 'tracker', 'dispatcher', 'public'] as const;
export type Role = (typeof ROLES)[number];

/** The process roles that send requests to the provider. */
export const ASKING: readonly Role[] = ['api', 'tracker'];

/** Reports a problem with a value, which may be a secret: the problem must not repeat it. */
export type Refuse = (problem: string) => undefined;

/** The columns of every row of the table, whatever its kind. */
export interface Row {
  /** The text for docs/running/configuration.md, as Markdown with links from there, and for .env.example. */
  readonly text: string;
  /** The possible values, as docs/running/configuration.md shows them, if the kind of the setting does not say enough. */
  readonly values?: string;
  /** The process roles that use the setting and need the same value in all replicas; left out: replicas may differ. */
  readonly agreed?: readonly Role[];
  /** Replicas must only agree on whether the variable is set. */
  readonly isAgreedByPresence?: true;
  /** The value gives access: no message and no plain fingerprint shows it. */
  readonly isSecret?: true;
  /** The provider of this setting does not start without it. */
  readonly isRequired?: true;
}

/** One environment variable that Paybell reads. */
export interface Setting<T = unknown> extends Row {
  readonly name: string;
  /** The default in the form in which a user writes it; null: the variable may be unset. */
  readonly default: string | null;
  readonly values: string;
  /** The value when both the variable and its default are missing. */
  readonly unset: T;
  /** Undefined: the value was refused. */
  parse(value: string, refuse: Refuse): T | undefined;
}

/** The facts about the environment that a section may use. */
export interface Variables {
  isSet(name: string): boolean;
  isRefused(name: string): boolean;
  refuse(name: string, problem: string): undefined;
  /** Records a warning about a valid variable for the log at the start. */
  warn(name: string, words: string): void;
}

/** Settings by the name of their property in the code. */
export type Rows = Readonly<Record<string, Setting>>;
export type ValuesOf<R extends Rows> = {
  readonly [Key in keyof R]: R[Key] extends Setting<infer T> ? T : never;
};

/** Settings about one subject: a heading and a table in docs/running/configuration.md. */
export interface Section<R extends Rows = Rows> {
  readonly heading: string;
  /** The Markdown in front of the table. */
  readonly about: string;
  readonly rows: R;
  /** Fills in defaults that depend on other variables. */
  withDefaults?(values: ValuesOf<R>, env: Variables): ValuesOf<R>;
  /** Refuses values that do not fit together. A refused variable has its default. */
  check?(values: ValuesOf<R>, env: Variables): void;
}

/** Limits for requests to a provider. */
export interface RequestLimits {
  /** The time limit of one request. */
  readonly timeoutMs: number;
  /** Status requests a minute, shared by all replicas; 0: no limit. */
  readonly maxRpm: number;
  /** Concurrent requests of this process. */
  readonly maxConcurrency: number;
}

/** The settings of a provider's own folder. */
export interface ProviderSection<R extends Rows = Rows> extends Section<R> {
  /** The factor by which the provider's time runs faster than the clock; left out: 1. */
  speedOf?(values: ValuesOf<R>): number;
}

/** Lets the compiler infer the types of the values from the rows. */
export function section<R extends Rows>(table: Section<R>): Section<R> {
  return table;
}

export function providerSection<R extends Rows>(table: ProviderSection<R>): ProviderSection<R> {
  return table;
}
