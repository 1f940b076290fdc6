import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { fireEvent, screen, within } from '@testing-library/react';
import { aVault } from '../../test/builders.ts';
import { config, fakeApi, renderPage } from '../../test/harness.tsx';
import type { AppChain } from '../client/config.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { Sections } from './sections.tsx';

const silence = () => new Promise<void>(() => undefined);
const links = () => within(screen.getByRole('navigation', { name: 'Sections of this vault' }));
const current = () => links().getByRole('link', { current: 'location' }).textContent;

/** Every section reads the vault when it is rendered. */
function countedReads() {
  const vault = aVault();
  let reads = 0;
  const shown: Shown = {
    get vault() {
      reads += 1;
      return vault;
    },
    chain: config.chains[0] as AppChain,
    updatedAt: Date.now(),
    live: { mode: 'paused', toggle: () => undefined, pollMs: false },
    error: null,
    retry: () => undefined,
  };
  return { shown, reads: () => reads };
}

const open = (shown: Shown) =>
  renderPage(<Sections shown={shown} />, {
    api: fakeApi({ analyticsOverview: silence, analyticsTvl: silence, analyticsPps: silence }),
  });

afterEach(() => {
  jest.restoreAllMocks();
});

test('behavior: scrolling marks the section being read, and renders none of them again', async () => {
  const { shown, reads } = countedReads();
  await open(shown);
  expect(current()).toBe('Feed');
  const before = reads();
  expect(before).toBeGreaterThan(2);
  jest.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return { top: ['overview', 'allocation', 'pricing'].includes(this.id) ? 0 : 2_000 } as DOMRect;
  });
  fireEvent.scroll(window);
  expect(current()).toBe('PPS & Pricing');
  expect(reads()).toBe(before);
});
