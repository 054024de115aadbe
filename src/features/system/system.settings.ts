/** The part of the configuration that the system's answer shows. */
export class SystemSettings {
  constructor(
    /** `RETENTION_DAYS`. */
    readonly paymentsDays: number,
    /** `AUDIT_RETENTION_DAYS`. */
    readonly auditDays: number,
  ) {}
}
