import { beforeAll, describe, expect, it } from '@jest/globals';

import { OUTPUT_CHECKS } from '../../../../src/domain/proof/verification.ts';
import type { DashboardStage } from '../../../support/dashboard/dashboard-stage.ts';
import { faultsOf } from '../../../support/dashboard/axe.ts';
import { factOf, rowOf } from '../../../support/dashboard/page-parts.ts';
import { dailyStage } from './daily-stage.ts';

const TX_HASH = `0x${'5a'.repeat(32)}`;
const STATES = {
  'A-PROVEN': 'proven',
  'A-CONTRADICTED': 'contradicted',
  'A-UNVERIFIED': 'unverified',
  'A-WITHHELD': 'unverified',
} as const;

/** The proof as the witness stores it; the sandbox makes no payout that a real chain could show. */
function verificationOf(state: string): string {
  const checks = OUTPUT_CHECKS.map((name) => ({
    name,
    passed: state === 'contradicted' && name === 'amount' ? false : state === 'unverified' ? null : true,
    detail: `What was found of ${name}.`,
  }));
  const found = state === 'unverified' ? null : TX_HASH;
  const place = { chainId: 8453, txHash: found, logIndex: found && 3, block: found && 19_000_000 };
  return JSON.stringify({ state, ...place, confirmations: found && 64, checks, sources: ['rpc.example'] });
}

export function proof(): void {
  describe('the proof on chain on the dashboard', () => {
    let paybell: DashboardStage;
    const ids = new Map<string, string>();

    beforeAll(async () => {
      paybell = await dailyStage();
      for (const [order, state] of Object.entries(STATES)) {
        const id = await paybell.quote(order, '25.05');
        ids.set(order, id);
        await paybell.whenAt(id, 'COMPLETED');
        await paybell.stage.database.query(
          `UPDATE payment_proof SET state = $2, verification = $3, due_at = NULL, token = token + 1, decided_at = now()
           WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
          [id, state, verificationOf(state)],
        );
      }
      // The state that VERIFY=require leaves, without the one payment.completed.
      await paybell.stage.database.query(
        `DELETE FROM event_entry WHERE type = 'payment.completed' AND payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
        [ids.get('A-WITHHELD')],
      );
      await paybell.stage.database.query(
        `UPDATE payment SET status = 'EXECUTING', tracking = 'active' WHERE quote_id = $1`,
        [ids.get('A-WITHHELD')],
      );
      await paybell.stage.database.query(`DELETE FROM payment_schedule WHERE quote_id = $1`, [
        ids.get('A-WITHHELD'),
      ]);
      await paybell.whenNeeded('payments_contradicted', 'payments_unverified');
    });

    it('is a badge of each payment in the list, and a filter', async () => {
      const page = await paybell.visit('/payments');
      await rowOf(page, 'A-PROVEN').getByText('Proven on chain').waitFor();
      await rowOf(page, 'A-CONTRADICTED').getByText('Contradicted by the chain').waitFor();
      await rowOf(page, 'A-UNVERIFIED').getByText('Word of the provider').waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('Proof').selectOption('contradicted');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await rowOf(page, 'A-CONTRADICTED').waitFor();
      expect(await page.getByText('A-PROVEN').count()).toBe(0);
      expect(new URL(page.url()).searchParams.get('verification')).toBe('contradicted');
    });

    it('says check by check what the chain shows, with the transaction in its explorer', async () => {
      const page = await paybell.visit(`/payments/${ids.get('A-PROVEN') ?? ''}`);
      const panel = page.getByRole('region', { name: 'Proof on chain' });
      await panel.getByText('The recipient: right').waitFor();
      expect(await panel.getByText(': right').count()).toBe(8);
      expect(await factOf(page, 'Block').innerText()).toContain('19,000,000');
      const link = panel.getByRole('link', { name: 'Open the proven transaction' });
      expect(await link.getAttribute('href')).toContain(TX_HASH);
      expect(await faultsOf(page)).toEqual([]);
    });

    it('says what is wrong', async () => {
      const page = await paybell.visit(`/payments/${ids.get('A-CONTRADICTED') ?? ''}`);
      await page.getByText('The amount: wrong').waitFor();
      await page.getByText('The chain contradicts the provider').waitFor();
    });

    it('is counted on the first page with those that the link leads to, and none that is withheld', async () => {
      const page = await paybell.visit('');
      // Payments of the other suites may have waited long enough for a proof too.
      await page.getByRole('link', { name: /^\d+ word of the provider$/ }).click({ timeout: 90_000 });
      await rowOf(page, 'A-UNVERIFIED').waitFor();
      expect(await page.getByText('A-WITHHELD').count()).toBe(0);
    }, 150_000);

    it('that a payment waits for in vain is no word of the provider, and a person may release it', async () => {
      const page = await paybell.visit(`/payments/${ids.get('A-WITHHELD') ?? ''}`);
      await page.getByText('Withheld: not proven in time').first().waitFor();
      await page.getByRole('button', { name: 'Release…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Release this payment' });
      await dialog.getByLabel('How do you know').fill('seen in the wallet');
      expect(await faultsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Release' }).click();
      await page.getByText('Released without a proof, “seen in the wallet”').waitFor();
      await page.getByText('released', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Release…' }).count()).toBe(0);
    });

    it('is what needs a person, and how many of the last day are proven', async () => {
      const page = await paybell.visit('');
      await page.getByRole('link', { name: 'The chain contradicts a completion' }).waitFor();
      await page.getByRole('link', { name: 'Not proven in time' }).waitFor();
      await page.getByRole('link', { name: '1 proven on chain' }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
    });
  });
}
