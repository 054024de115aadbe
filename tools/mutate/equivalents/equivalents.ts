/** Changes of one line that change nothing that anyone could notice. */
export interface Equivalents {
  readonly file: string;
  /** Part of the line, which no other mutated line of the file has. */
  readonly line: string;
  /** As `changeOf` has them. */
  readonly changes: readonly string[];
  readonly reason: string;
}
