/** Changes of one line that have no noticeable effect. */
export interface Equivalents {
  readonly file: string;
  /** A part of the line that no other mutated line of the file has. */
  readonly line: string;
  /** The changes in the form of `changeOf`. */
  readonly changes: readonly string[];
  readonly reason: string;
}
