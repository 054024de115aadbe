import { readReport, type Report } from '../../domain/payment/report.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { Json } from '../connection/parse-provider-json.ts';
import { unavailable } from '../connection/read-response.ts';
import type { Answer } from './parse-answer.ts';

/** Converts the answer to a status request. The tracker checks that the report is about the requested payment. */
export function parseStatusAnswer(answer: Answer): StatusAnswer {
  if (answer.kind === 'refused') {
    return { kind: 'refused', httpStatus: answer.httpStatus, message: answer.message };
  }
  if (answer.kind !== 'json') return answer;
  const report = parseReport(answer);
  return report === null ? unavailable('unreadable answer', 200) : { kind: 'report', report };
}

/** Null also for JSON whose walk throws, such as a stack overflow in deep nesting. */
function parseReport({ value, text }: Json): Report | null {
  try {
    return readReport(value, text);
  } catch {
    return null;
  }
}
