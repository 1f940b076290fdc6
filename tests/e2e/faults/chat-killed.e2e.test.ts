import { createClient } from '@castellan/sdk';
import { test } from '@jest/globals';
import { baseUrl, stateDir } from '../../system/actors.ts';
import { browserForTests } from '../../system/browser.ts';
import { answersIn, chatPane } from '../../system/chat-pane.ts';
import { expect } from '../../system/expect.ts';
import { minedMs, scenarioMs } from '../../system/patience.ts';
import { pidsOf } from '../../system/running-system.ts';
import { sessionOf } from '../../system/session.ts';
import { step } from '../../system/step.ts';

/** The chat in Chromium while the service behind it is killed. */

const browser = browserForTests();
/** What the browser says of connections to a service that is away. */
const away = /\/socket\.io\/.*(?:503|ERR_CONNECTION|closed before)|status of 503/;

test(
  'behavior: chat: killed in the middle of an answer, it says that and answers the next',
  async () => {
    const [vault] = await createClient({ baseUrl: baseUrl() }).publicVaults({});
    const page = await browser.open({ session: await sessionOf(1), expectedErrors: away });
    await page.goto(`${baseUrl()}/operate/devnet/${vault?.vault_address}/analysis`);
    await page.getByRole('button', { name: 'Ask about this vault' }).click();
    const field = chatPane(page).getByRole('textbox', { name: 'Your question' });
    await step('kill the service while it answers', async () => {
      await field.fill('Compare the last week with the week before.');
      await page.keyboard.press('Enter');
      process.kill(pidsOf(stateDir()).ai as number, 'SIGKILL');
      await expect(chatPane(page).getByRole('button', { name: 'Stop the answer' })).toBeGone({ withinMs: 2 * minedMs });
    });
    await step('ask again', async () => {
      const before = await answersIn(page).count();
      await field.fill('Is the price on time?');
      await page.keyboard.press('Enter');
      await expect(answersIn(page).nth(before)).toBeVisible({ withinMs: minedMs });
    });
  },
  scenarioMs,
);
