/** The parts of an event (CloudEvents 1.0) that the shop reads. */
export interface ArrivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly quoteId: string;
    readonly orderId: string | null;
    readonly sequence: number;
    readonly provider: string;
    readonly status: string;
    readonly late: boolean;
    readonly reason?: string;
    readonly verification?: { readonly state: string };
  };
}

export function readEvent(body: string): ArrivedEvent {
  return JSON.parse(body) as ArrivedEvent;
}
