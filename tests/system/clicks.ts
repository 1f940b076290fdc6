import type { Locator, Page } from 'playwright-core';
import { expect } from './expect.ts';

/** What something takes of a person: presses of the pointer, and what the wallet is asked to sign. */
export type Effort = { clicks: number; signatures: number };

/** Presses that a person or the browser of a test made, not a script of the page. */
const NOTE_PRESSES = `addEventListener('pointerdown', ({ isTrusted }) => { if (isTrusted) countPress(); }, true);`;
/** A wallet of the devnet signs in the page: a transaction is seen when it goes to the node, a message when its signature does to the server. */
const isSigned = ({ url, body }: { url: string; body: string }): boolean =>
  body.includes('eth_sendRawTransaction') || new URL(url).pathname === '/idp/v1/token';

/** Counts on a page that has not been opened yet. */
export async function countEffort(page: Page) {
  const effort: Effort = { clicks: 0, signatures: 0 };
  await page.exposeFunction('countPress', () => {
    effort.clicks += 1;
  });
  await page.addInitScript(NOTE_PRESSES);
  page.on('request', (request) => {
    if (isSigned({ url: request.url(), body: request.postData() ?? '' })) effort.signatures += 1;
  });
  const replace = async (text: string) => {
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  };
  return {
    begin: () => Object.assign(effort, { clicks: 0, signatures: 0 }),
    /** The presses of before are known by then: they and the answer come by the same way, one after the other. */
    async soFar(): Promise<Effort> {
      await page.evaluate('0');
      return { ...effort };
    },
    /** Types into a field that has the focus already, which costs no press. */
    async typeAtOnce(field: Locator, text: string): Promise<void> {
      await expect(field.and(page.locator(':focus'))).toBeVisible();
      await replace(text);
    },
    /** Types into a field as one does with a pointer in the hand: a press puts the focus there first. */
    async pressAndType(field: Locator, text: string): Promise<void> {
      await field.click();
      await replace(text);
    },
  };
}
