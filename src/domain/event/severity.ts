/** `bad`: payments or events are stuck; `warn`: everything works, but a person should know. */
export const SEVERITIES = ['bad', 'warn'] as const;
export type Severity = (typeof SEVERITIES)[number];
