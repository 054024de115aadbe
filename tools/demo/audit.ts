import { judge } from './judge.ts';
import type { Account, Ledger } from './ledger.ts';
import type { PaybellClient } from './paybell-client.ts';
import type { Result } from './summary.ts';

/** Compares the arrived events with Paybell's own event log, payment by payment, until nothing is missing. */
export class Audit {
  private readonly byAccount = new Map<Account, Result>();

  constructor(private readonly ledger: Ledger) {}

  get results(): Result[] {
    return this.ledger.accounts.flatMap((account) => this.byAccount.get(account) ?? []);
  }

  get isComplete(): boolean {
    return this.ledger.accounts.length > 0 && this.openAccounts().length === 0;
  }

  /** A payment whose events are complete is judged once more at the end: a further event may have come since. */
  async poll(client: PaybellClient, hasBroker: boolean): Promise<void> {
    await this.judgeAll(this.openAccounts(), client, hasBroker);
    if (this.isComplete) await this.judgeAll(this.ledger.accounts, client, hasBroker);
  }

  private openAccounts(): Account[] {
    return this.ledger.accounts.filter((account) => this.byAccount.get(account)?.problems.length !== 0);
  }

  private async judgeAll(
    accounts: readonly Account[],
    client: PaybellClient,
    hasBroker: boolean,
  ): Promise<void> {
    await Promise.all(
      accounts.map(async (account) => {
        const log = await client.readEvents(account.quoteId);
        this.byAccount.set(account, { account, log, hasBroker, problems: judge(account, log, hasBroker) });
      }),
    );
  }
}
