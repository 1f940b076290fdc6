import type { Locator, Page } from 'playwright-core';

/** The pane of a page in which one asks about a vault. */
export const chatPane = (page: Page): Locator => page.getByRole('complementary', { name: 'Ask about this vault' });

/** One for each whole answer in the pane. */
export const answersIn = (page: Page): Locator => chatPane(page).getByRole('button', { name: 'Copy answer' });
