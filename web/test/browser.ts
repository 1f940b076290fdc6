/// <reference types="node" />
import { TextDecoder, TextEncoder } from 'node:util';
import { jest } from '@jest/globals';

// What a browser has and jsdom lacks; imported before anything that asks for it.
class NoObserver {
  observe = () => undefined;
  unobserve = () => undefined;
  disconnect = () => undefined;
}

Object.assign(globalThis, { TextEncoder, TextDecoder });
Object.assign(globalThis, {
  matchMedia: () => ({ matches: false, addEventListener: jest.fn(), removeEventListener: jest.fn() }),
  // Nothing is laid out here, so nothing ever comes near: drawings are not loaded.
  IntersectionObserver: NoObserver,
  ResizeObserver: NoObserver,
  CSS: { escape: (text: string) => text },
});
// Chromium answers with a promise, which is no clean-up of an effect.
Element.prototype.scrollIntoView = async () => undefined;
