import { codeOf } from '../database/connection/connection-errors.ts';
import { urgencyRules } from '../domain/polling/urgency-rules.ts';
import type { Config } from '../config/config.ts';
import { openDatabase } from './open-database.ts';

const MISSING_FUNCTION = '42883';

/**
 * The operator says that the database went back. Running processes need not be stopped. Returns the text to print; throws an
 * Error with a message to print.
 */
export async function declareRestored(config: Config): Promise<string> {
  const { database, close } = await openDatabase(config);
  try {
    const { inFlightMs } = urgencyRules(config);
    const [row] = await database.query<{ due: number }>(`SELECT begin_epoch('operator', $1) AS due`, [
      inFlightMs,
    ]);
    return (
      'A new epoch begins: numbers jump ahead, so that none that was lost is given again.\n' +
      `Open payments that are polled at once, and whose state is published: ${row?.due ?? 0}.\n`
    );
  } catch (error) {
    if (codeOf(error) !== MISSING_FUNCTION) throw error;
    throw new Error('The database is of an older release: start Paybell, then repeat this command.', {
      cause: error,
    });
  } finally {
    await close();
  }
}
