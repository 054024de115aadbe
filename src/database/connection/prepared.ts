import { hash } from 'node:crypto';

const names = new Map<string, string>();

/**
 * Marks a statement that a direct connection parses and plans once, and one through a pooler each time; answers the same text.
 * Not for a statement that reads a table that grows: a plan that was made while it was empty would stay until PostgreSQL analyzes
 * the table. A function that the statement calls has plans of its own.
 */
export function prepared(sql: string): string {
  // By its text: a session that something between passes on never runs the statement of another release.
  names.set(sql, `paybell_${hash('sha1', sql)}`);
  return sql;
}

/** The name under which a connection keeps the plan; undefined for a statement that is planned each time. */
export function nameOfPrepared(sql: string): string | undefined {
  return names.get(sql);
}
