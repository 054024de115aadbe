/** A time as the API answers it. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** On a terminal a time is local, with its zone: `2026-11-23 11:02:11 GMT+1`. A program that reads the output gets ISO 8601 in UTC. */
export function timeWords(text: string, isForPerson = process.stdout.isTTY): string {
  if (!isForPerson || !INSTANT.test(text)) return text;
  const parts = Object.fromEntries(
    FORMAT.formatToParts(new Date(text)).map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, minute, second, timeZoneName } = parts;
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}

const FORMAT = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
