/** The words of the command make no sense. */
export class UsageError extends Error {}
