import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { baseUrl, until } from '../../system/actors.ts';
import { browserForTests } from '../../system/browser.ts';

/**
 * Text that an attacker brought into a page becomes neither markup nor code: the browser refuses what the page's one policy
 * does not let through. That our own pages need nothing more is shown by all other browser tests, which fail on what the
 * console calls an error, and by the visits to every page.
 */

const refused = /Trusted(HTML|Script|ScriptURL)|TrustedTypePolicy|Content Security Policy/;
const browser = browserForTests();

/** What a statement in the page comes to: done, or the kind of error it throws. */
const attempt = (page: Page, statement: string) =>
  page.evaluate<string>(`(() => { try { ${statement}; return 'done'; } catch (error) { return error.name; } })()`);

const hostile = `'<img src=x onerror="window.hacked = true">'`;

test('error: markup, scripts and policies of strangers are refused and reported; an element may be emptied', async () => {
  const page = await browser.open({ expectedErrors: refused });
  const reported: string[] = [];
  page.on('request', (request) => {
    if (!request.url().endsWith('/csp-reports')) return;
    const { 'csp-report': report } = request.postDataJSON() as { 'csp-report': Record<string, string> };
    reported.push(`${report['effective-directive']}`);
  });
  await page.goto(baseUrl());
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  expect(reported).toEqual([]);
  const outcomes: Record<string, string> = {};
  for (const [name, statement] of Object.entries({
    innerHTML: `document.createElement('div').innerHTML = ${hostile}`,
    outerHTML: `document.body.appendChild(document.createElement('i')).outerHTML = ${hostile}`,
    insertAdjacentHTML: `document.body.insertAdjacentHTML('beforeend', ${hostile})`,
    'document.write': `document.write(${hostile})`,
    DOMParser: `new DOMParser().parseFromString(${hostile}, 'text/html')`,
    srcdoc: `document.createElement('iframe').srcdoc = ${hostile}`,
    'text of a script': `document.createElement('script').text = 'window.hacked = true'`,
    'address of a script': `document.createElement('script').src = '/any.js'`,
    Worker: `new Worker('/any.js')`,
    'a policy of its own': `trustedTypes.createPolicy('mine', { createHTML: (text) => text })`,
    'the default policy again': `trustedTypes.createPolicy('default', { createHTML: (text) => text })`,
  }))
    outcomes[name] = await attempt(page, statement);
  expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map((name) => [name, 'TypeError'])));
  expect(await attempt(page, `document.createElement('div').innerHTML = ''`)).toBe('done');
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  // The browser sends its reports in its own time.
  await until('a report of each kind', async () => new Set(reported).size >= 2);
  expect(new Set(reported)).toEqual(new Set(['require-trusted-types-for', 'trusted-types']));
});
