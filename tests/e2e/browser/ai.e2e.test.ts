import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { beforeAll, beforeEach, describe, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { StoredSession } from '../../../tools/web-pages.ts';
import { baseUrl, untilRead } from '../../system/actors.ts';
import { browserForTests, desktop, tabTo } from '../../system/browser.ts';
import { answersIn, chatPane } from '../../system/chat-pane.ts';
import { expect } from '../../system/expect.ts';
import { minedMs, scenarioMs } from '../../system/patience.ts';
import { expectToFit, picture, pictures } from '../../system/screen-checks.ts';
import { sessionOf } from '../../system/session.ts';
import { step } from '../../system/step.ts';

/** Analysis, chat and feed in Chromium with the demo wallet. */

const browser = browserForTests();
let growth: PublicVault;
let session: StoredSession;
let page: Page;

beforeAll(async () => {
  const vaults = await createClient({ baseUrl: baseUrl() }).publicVaults({});
  growth = vaults.find(({ name }) => name === 'WETH Growth') as PublicVault;
  session = await sessionOf(1);
});

const operate = (path: string) => `${baseUrl()}/operate/devnet/${growth.vault_address}/${path}`;
const pane = () => chatPane(page);
const answers = () => answersIn(page);

describe('at a desk', () => {
  beforeEach(async () => {
    page = await browser.open({ session, permissions: ['clipboard-read', 'clipboard-write'] });
  });

  test('behavior: analysis: five sections, and a citation opens the receipt of its figure', async () => {
    await page.goto(operate('analysis'));
    for (const name of ['Performance', 'Risk', 'Yield sources', 'Fees', 'Liquidity'])
      await expect(page.getByRole('region', { name, exact: true })).toBeVisible();
    await expect(page.getByText(/Built-in analyst \(rules-\d+\): rules, no language model/)).toBeVisible();
    await page.getByRole('button', { name: 'Receipt of APY over 7 days' }).first().click();
    const receipt = page.getByRole('dialog', { name: 'Receipt: APY over 7 days' });
    await expect(receipt.getByRole('heading', { name: 'Formula' })).toBeVisible();
    await picture(page, 'analysis-receipt-dark');
    await page.keyboard.press('Escape');
    await expect(receipt).toBeGone();
  });

  test(
    'behavior: chat: by keyboard alone a suggested question, its tool, its figures, copied and asked again; a citation opens its receipt; stopped, it says so',
    async () => {
      await page.goto(operate('analysis'));
      await expect(page.getByRole('region', { name: 'Performance', exact: true })).toBeVisible();
      const field = pane().getByRole('textbox', { name: 'Your question' });
      await step('ask a suggested question by keyboard alone, copy its answer and ask again', async () => {
        await page.keyboard.press('a');
        await expect(pane().getByRole('list', { name: 'Suggested questions' })).toBeVisible();
        await picture(page, 'chat-empty-dark');
        await field.press('Shift+Tab');
        await page.keyboard.press('Enter');
        await expect(answers()).toBeVisible();
        await expect(pane().getByRole('list', { name: 'What was looked at' })).toHaveText('Get timeline');
        await expect(pane().getByRole('table').first()).toBeVisible();
        await expect(
          pane()
            .getByRole('button', { name: /^Receipt of / })
            .first(),
        ).toBeVisible();
        await expect(pane().getByText('Answered by the built-in analyst: rules, no language model')).toBeVisible();
        await picture(page, 'chat-answer-dark');
        await answers().click();
        const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
        await untilRead('the answer to be copied', copied, (text) => text.includes('Latest, at'));
        await tabTo(page, /^Ask this again$/, 6);
        await page.keyboard.press('Enter');
        await expect(answers()).toHaveCount(2);
      });
      await step('open the receipt of a citation over the pane', async () => {
        await field.fill('How is the risk?');
        await page.keyboard.press('Enter');
        await pane().getByRole('button', { name: 'Receipt of risk score' }).first().click();
        const receipt = page.getByRole('dialog', { name: 'Receipt: risk score' });
        await expect(receipt.getByRole('heading', { name: 'Formula' })).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(receipt).toBeGone();
      });
      await step('stop an answer', async () => {
        // The built-in analyst is faster than a person: the page itself presses the button in the moment it appears. Now and
        // then the answer is there before that is heard, and another is asked for.
        const pressStop = `new MutationObserver((_, observer) => {
          const stop = document.querySelector('[aria-label="Stop the answer"]');
          if (stop === null) return;
          observer.disconnect();
          stop.click();
        }).observe(document.body, { childList: true, subtree: true })`;
        const stopped = pane().getByText('You stopped this answer.');
        for (let tries = 0; tries < 20 && (await stopped.count()) === 0; tries += 1) {
          const whole = answers().nth(await answers().count());
          await page.evaluate(pressStop);
          await field.fill('Compare the last week with the week before.');
          await page.keyboard.press('Enter');
          await expect(whole.or(stopped).first()).toBeVisible();
        }
        await expect(stopped.first()).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(pane()).toBeGone();
      });
    },
    scenarioMs,
  );

  test('behavior: feed: a post is written, shown and deleted', async () => {
    const title = `Maintenance tonight ${Date.now().toString(36)}`;
    await page.goto(operate('feed'));
    await page.getByRole('button', { name: 'Write a post' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Title' }).fill(title);
    await dialog.getByRole('textbox', { name: 'Text' }).fill('From 22:00 UTC.\nDeposits stay open.');
    await picture(page, 'feed-post-dark');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    const post = page.getByRole('article', { name: title });
    await expect(post).toHaveText('Deposits stay open.');
    await post.getByRole('button', { name: `Delete ${title}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the post' }).click();
    await expect(post).toBeGone();
  });
});

describe.each([
  { ...desktop, colorScheme: 'light' as const },
  { width: 390, height: 844, colorScheme: 'dark' as const },
])('at $width px', (size) => {
  test('behavior: analysis, feed and chat stand without sideways scrolling', async () => {
    page = await browser.open({ ...size, session });
    const shoot = async (name: string, fullPage = true) => {
      await expectToFit(page, name);
      await pictures(page, name, fullPage);
    };
    await page.goto(operate('analysis'));
    await expect(page.getByRole('region', { name: 'Liquidity' })).toBeVisible();
    await shoot('analysis');
    await page.goto(operate('feed'));
    await expect(page.getByRole('article').first()).toBeVisible();
    await shoot('feed');
    await page.getByRole('button', { name: 'Ask about this vault' }).click();
    await page.getByRole('button', { name: 'What happened lately?' }).click();
    await expect(page.getByRole('button', { name: 'Copy answer' })).toBeVisible({ withinMs: minedMs });
    await shoot('chat', false);
  });
});
