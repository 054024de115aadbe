const ZONED = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** A time in the zone of this machine, as the command line and the dashboard write it: `2026-11-23 11:02:11 GMT+1`. */
export function zonedTime(instant: string | number): string {
  const parts = ZONED.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]);
  const { year, month, day, hour, minute, second, timeZoneName } = Object.fromEntries(parts) as Record<
    string,
    string
  >;
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}
