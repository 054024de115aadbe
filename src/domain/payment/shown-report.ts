import type { Status } from './status.ts';
import { memberText, memberTexts } from '../text/member-text.ts';
import type { Verification } from '../proof/verification.ts';

/**
 * A report as shops may see it. The stored one of a payment whose completion waits for its proof says COMPLETED: shown is the
 * status that the payment has. Any other report is shown verbatim.
 */
export function shownReport(text: string, status: Status): string {
  return isWithheld(text, status) ? withMembers(text, { status }) : text;
}

/** True for a stored report that says COMPLETED of a payment that has not become so. */
export function isWithheld(text: string, status: Status): boolean {
  return status !== 'COMPLETED' && saysCompleted(text);
}

export function saysCompleted(text: string): boolean {
  const word = memberText(text, 'status');
  return word !== null && JSON.parse(word) === 'COMPLETED';
}

/** The report with the extra member `verification`. */
export function withVerification(text: string, verification: Verification): string {
  return withMembers(text, { verification });
}

/** The JSON object with these values for its members; all other texts stay as they are. */
export function withMembers(json: string, values: Readonly<Record<string, unknown>>): string {
  const members = memberTexts(json);
  if (members === null) return json;
  for (const [name, value] of Object.entries(values)) members.set(name, JSON.stringify(value));
  return `{${[...members].map(([member, text]) => `${JSON.stringify(member)}:${text}`).join(',')}}`;
}
