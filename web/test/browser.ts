/// <reference types="node" />
import { TextDecoder, TextEncoder } from 'node:util';
import { jest } from '@jest/globals';

// What a browser has and jsdom lacks; imported before anything that asks for it.
Object.assign(globalThis, { TextEncoder, TextDecoder });
Object.assign(globalThis, {
  matchMedia: () => ({ matches: false, addEventListener: jest.fn(), removeEventListener: jest.fn() }),
  CSS: { escape: (text: string) => text },
});
Element.prototype.scrollIntoView = () => undefined;
