/**
 * An event is told to a destination when that destination acknowledged it. A payment is untold at a destination while an event
 * older than this has a delivery there that was not acknowledged, whatever the reason; untold to anybody while such an event
 * had no destination when it was recorded, and none has acknowledged it since. Payments that a person resolved do not count.
 * src/database/attention/untold.ts says the same to PostgreSQL.
 */
export const UNTOLD_AFTER_MS = 30_000;

/** In the place of a destination, where there was none when an event was recorded. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';
/** `nobody` and `deleted` stand beside the kinds of destinations. */
export const NOBODY_KIND = 'nobody';
export const DELETED_KIND = 'deleted';
