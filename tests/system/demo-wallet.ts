import type { Page } from 'playwright-core';

/** Signs the steps of the open dialog, and waits until the change shows everywhere. */
export async function signAndSend(page: Page, steps = 1): Promise<void> {
  const dialog = page.getByRole('dialog').last();
  try {
    for (let step = 1; step <= steps; step += 1) {
      if (steps > 1) await dialog.getByText(`Step ${step} of ${steps}`).waitFor({ timeout: 30_000 });
      await dialog.getByRole('button', { name: 'Sign and send' }).click({ timeout: 20_000 });
    }
    await dialog.getByText('Indexed: the change shows everywhere').waitFor({ timeout: 30_000 });
    await dialog
      .getByRole('button', { name: /^(Done|Close)/ })
      .last()
      .click();
    await dialog.waitFor({ state: 'detached' });
  } catch (cause) {
    throw new Error(`cannot sign: ${await dialog.innerText()}`, { cause });
  }
}
