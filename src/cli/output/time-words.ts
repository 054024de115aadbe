import { zonedTime } from '../../domain/story/when.ts';

/** A time as the API answers it. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** On a terminal a time is local, with its zone: `2026-11-23 11:02:11 GMT+1`. A program that reads the output gets ISO 8601 in UTC. */
export function timeWords(text: string, isForPerson = process.stdout.isTTY): string {
  return isForPerson && INSTANT.test(text) ? zonedTime(text) : text;
}
