/** The command line is not a known command. */
export class UsageError extends Error {}
