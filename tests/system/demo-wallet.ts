import type { Page } from 'playwright-core';
import { expect } from './expect.ts';
import { minedMs } from './patience.ts';
import { step } from './step.ts';

/** Signs the steps of the open dialog, and waits until the change shows everywhere. */
export async function signAndSend(page: Page, steps = 1): Promise<void> {
  const dialog = page.getByRole('dialog').last();
  for (let each = 1; each <= steps; each += 1)
    await step(`sign transaction ${each} of ${steps}`, async () => {
      if (steps > 1) await expect(dialog.getByText(`Step ${each} of ${steps}`)).toBeVisible({ withinMs: minedMs });
      await dialog.getByRole('button', { name: 'Sign and send' }).click({ timeout: minedMs });
    });
  await step('wait until the transaction is indexed', async () => {
    await expect(dialog.getByText('Indexed: the change shows everywhere')).toBeVisible({ withinMs: minedMs });
    await dialog
      .getByRole('button', { name: /^(Done|Close)/ })
      .last()
      .click();
    await expect(dialog).toBeGone();
  });
}
