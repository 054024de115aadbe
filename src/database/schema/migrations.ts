import { INITIAL, InitialSchema1790000000000 } from './1-initial.ts';

/**
 * Every migration, in the order in which they were written: a class that is not listed here never runs. A migration changes
 * tables, indexes and types only; functions are in database/functions as their current text. A released migration is never
 * changed, and the tables that it leaves must still serve replicas of the former release.
 */
export const MIGRATIONS = [InitialSchema1790000000000];

/** Every table of this release. Where one is missing, the database has another release's schema. */
export const TABLES: readonly string[] = INITIAL.flatMap(
  (statement) => /^CREATE (?:UNLOGGED )?TABLE (\w+)/.exec(statement)?.[1] ?? [],
);
