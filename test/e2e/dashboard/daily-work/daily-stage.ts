import { DashboardStage } from '../../../support/dashboard/dashboard-stage.ts';

let opened: Promise<DashboardStage> | undefined;

/** One Paybell and one browser for all the work of a day. No RPC answers: a test writes the witness's findings. */
export function dailyStage(): Promise<DashboardStage> {
  opened ??= DashboardStage.open({
    WEBHOOK_RETRY_SCHEDULE: '50ms,1h',
    VERIFY: 'observe',
    CHAIN_RPC: '8453=https://rpc.example',
  });
  return opened;
}
