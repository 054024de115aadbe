import type { Status } from './status.ts';
import { memberText, memberTexts } from '../text/member-text.ts';
import type { Verification } from '../proof/verification.ts';

/**
 * A report as shops may see it. While a completion waits for its proof, the stored report says COMPLETED: the payment's own
 * status is shown instead. Any other report is shown verbatim.
 */
export function shownReport(text: string, status: Status): string {
  return isWithheld(text, status) ? withMembers(text, { status }) : text;
}

/** True for a stored report that says COMPLETED while the payment is not COMPLETED. */
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

/** The JSON object with these values for its members; the text of all others stays the same. */
export function withMembers(json: string, values: Readonly<Record<string, unknown>>): string {
  const members = memberTexts(json);
  if (members === null) return json;
  for (const [name, value] of Object.entries(values)) members.set(name, JSON.stringify(value));
  return `{${[...members].map(([member, text]) => `${JSON.stringify(member)}:${text}`).join(',')}}`;
}
