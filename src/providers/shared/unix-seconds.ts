/** The spec's timestamps: whole unix seconds. */
export function unixSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}

export function unixSecondsOrNull(instant: Date | null | undefined): number | null {
  return instant === null || instant === undefined ? null : unixSeconds(instant);
}
