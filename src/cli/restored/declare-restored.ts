import { AuditEntryEntity } from '../../database/entities/audit-entry.entity.ts';
import { PostgresAuditLog } from '../../database/audit/audit-log.store.ts';
import { apartMs } from '../../domain/polling/spacing.ts';
import { urgencyRules } from '../../domain/polling/urgency-rules.ts';
import type { Config } from '../../config/config.ts';
import { audited } from '../database/audited.ts';
import { openDatabase } from '../database/open-database.ts';

/**
 * Declares for the operator that the database went back. Running processes need not be stopped. Returns the text to print;
 * throws an Error with a message to print.
 */
export async function declareRestored(config: Config): Promise<string> {
  const { database, source, close } = await openDatabase(config);
  try {
    const gapMs = apartMs(urgencyRules(config));
    const auditLog = new PostgresAuditLog(database, source.getRepository(AuditEntryEntity));
    const [row] = await audited(auditLog, { action: 'database.restored' }, () =>
      database.query<{ due: number }>(`SELECT begin_epoch('operator', $1) AS due`, [gapMs]),
    );
    return (
      'A new epoch begins: numbers jump ahead, so that none that was lost is given again.\n' +
      `Open payments that are polled at once, and whose state is published: ${row?.due ?? 0}.\n`
    );
  } finally {
    await close();
  }
}
