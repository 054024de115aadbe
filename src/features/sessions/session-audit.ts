import { Injectable, Logger } from '@nestjs/common';

import { AuditLog, type AuditedChange } from '../../ports/audit-log.ts';

const FAILED = 500;

/** How a change ended: the HTTP status of the answer, and the facts that only the answer shows. */
interface Result {
  readonly status: number;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Writes sign-ins and sign-outs to the audit log. Their forms are open: the API key is known only after they are read. */
@Injectable()
export class SessionAudit {
  private readonly log = new Logger(SessionAudit.name);

  constructor(private readonly auditLog: AuditLog) {}

  /** Makes the change once its entry is stored. Throws StoreUnavailable. */
  async record(change: Omit<AuditedChange, 'via'>, work: () => Promise<Result>): Promise<void> {
    const id = await this.auditLog.begin({ ...change, via: 'session' });
    let result: Result = { status: FAILED };
    try {
      result = await work();
    } finally {
      const { status, values } = result;
      await this.auditLog.finish(id, status, undefined, values).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown';
        this.log.warn(`the result ${status} of the audit entry ${id} cannot be written: ${reason}`);
      });
    }
  }
}
