/** `bad`: payments or news are stuck; `warn`: it works, and somebody should know. */
export const SEVERITIES = ['bad', 'warn'] as const;
export type Severity = (typeof SEVERITIES)[number];
