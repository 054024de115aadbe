import { readReport, type Report } from '../../domain/payment/report.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { Json } from '../connection/parse-provider-json.ts';
import { unavailable } from '../connection/read-response.ts';
import type { Answer } from './parse-answer.ts';

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
