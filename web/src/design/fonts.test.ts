import { expect, jest, test } from '@jest/globals';
import { loadFontsAfterFirstPaint } from './fonts.ts';

/** A browser that says of each paint when the test wants it to. */
function browser(supportedEntryTypes: string[]) {
  const seen: PerformanceObserverCallback[] = [];
  const observe = jest.fn<PerformanceObserver['observe']>();
  const disconnect = jest.fn();
  class Observer {
    static readonly supportedEntryTypes = supportedEntryTypes;
    readonly observe = observe;
    readonly disconnect = disconnect;
    constructor(callback: PerformanceObserverCallback) {
      seen.push(callback);
    }
  }
  const paint = (painted: string) => {
    const getEntriesByName = (name: string) => (name === painted ? [{}] : []);
    for (const each of seen) each({ getEntriesByName } as never, undefined as never);
  };
  return { Observer, observe, disconnect, paint };
}

const hasFonts = (root: HTMLElement) => root.matches('[data-fonts]');

test('behavior: the typefaces are asked for after something was painted, not at the first background', () => {
  const root = document.createElement('html');
  const { Observer, observe, disconnect, paint } = browser(['paint']);
  loadFontsAfterFirstPaint(root, Observer);
  expect(observe).toHaveBeenCalledWith({ type: 'paint', buffered: true });
  paint('first-paint');
  expect(hasFonts(root)).toBe(false);
  expect(disconnect).not.toHaveBeenCalled();
  paint('first-contentful-paint');
  expect(hasFonts(root)).toBe(true);
  expect(disconnect).toHaveBeenCalledTimes(1);
});

test('behavior: a browser that does not say when it paints has them at once', () => {
  const root = document.createElement('html');
  loadFontsAfterFirstPaint(root, browser(['resource']).Observer);
  expect(hasFonts(root)).toBe(true);
});
