import type { TestDatabase } from './database.ts';

/** Makes the stored times of all deliveries and their destinations earlier by this time. */
export async function timePasses(db: TestDatabase, ms: number): Promise<void> {
  for (const [table, columns] of Object.entries(TIMES)) {
    const back = columns.map((name) => `${name} = ${name} - $1::float8 * interval '1 millisecond'`);
    await db.query(`UPDATE ${table} SET ${back.join(', ')}`, [ms]);
  }
}

const TIMES = {
  delivery: ['due_at', 'lane_due_at', 'resume_at', 'last_attempt_at', 'first_attempt_at', 'attempt_made_at'],
  destination: ['delivered_at'],
  endpoint_circuit: ['failing_since', 'probe_at', 'probed_at', 'probing_until', 'opened_at', 'recovered_at'],
} as const;
