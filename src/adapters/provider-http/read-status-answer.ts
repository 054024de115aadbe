import { readReport, type Report } from '../../domain/report.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { Json } from '../../provider-connection/read-json.ts';
import { unavailable } from '../../provider-connection/read-reply.ts';
import type { Answer } from './read-answer.ts';

/** What an answer says about the payment that was asked for. Whose payment it is about is the tracker's to judge. */
export function readStatusAnswer(answer: Answer): StatusAnswer {
  if (answer.kind === 'refused') {
    return { kind: 'refused', httpStatus: answer.httpStatus, message: answer.message };
  }
  if (answer.kind !== 'json') return answer;
  const report = readReportOf(answer);
  return report === null ? unavailable('unreadable answer', 200) : { kind: 'report', report };
}

/** JSON that is nested a hundred thousand levels deep parses, but overflows the stack of whoever walks it. */
function readReportOf({ value, text }: Json): Report | null {
  try {
    return readReport(value, text);
  } catch {
    return null;
  }
}
