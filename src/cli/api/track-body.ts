/** The body of `POST /api/payments`, with the quote's text from its file: parsing it could drop digits. */
export function trackBody({
  quoteId,
  orderId,
  metadata,
  quoteText,
}: {
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly quoteText: string | null;
}): string {
  const body = JSON.stringify({ quoteId, orderId, metadata });
  return quoteText === null ? body : `${body.slice(0, -1)},"quote":${quoteText}}`;
}
