/** Changes of one line that change nothing that anyone could notice. */
export interface Equivalents {
  readonly file: string;
  /** Part of the line, which no other mutated line of the file has. */
  readonly line: string;
  /** The changes in the form of `changeOf`. */
  readonly changes: readonly string[];
  readonly reason: string;
}
