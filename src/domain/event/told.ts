/**
 * The age from which an event counts as untold. An event is told to a destination once that destination has acknowledged it. A
 * payment is untold at a destination while an event of this age has a delivery there without an acknowledgement, for whatever
 * reason. The payment is untold to every receiver while an event of this age had no destination when it was recorded, and none
 * has acknowledged it since. Payments that a person has settled otherwise do not count; a released payment does, since no
 * receiver knows of its completion before. src/database/attention/untold.ts has the rule in SQL.
 */
export const UNTOLD_AFTER_MS = 30_000;

/** Stands for the destination of an event that had none when it was recorded. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';
/** `nobody` and `deleted` are used like kinds of destinations. */
export const NOBODY_KIND = 'nobody';
export const DELETED_KIND = 'deleted';
