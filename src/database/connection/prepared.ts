import { hash } from 'node:crypto';

const names = new Map<string, string>();

/**
 * Marks a statement that a direct connection parses and plans once, and a connection through a pooler each time.
 * Returns the text unchanged. Not for a statement that reads a growing table: a plan made while the table was empty
 * would stay until PostgreSQL analyzes it. Functions that the statement calls keep plans of their own.
 */
export function prepared(sql: string): string {
  // The name is a hash of the text: a session that a pooler passes on never runs another release's statement.
  names.set(sql, `paybell_${hash('sha1', sql)}`);
  return sql;
}

/** The name of the statement's plan on a connection; undefined for a statement that is planned each time. */
export function nameOfPrepared(sql: string): string | undefined {
  return names.get(sql);
}
