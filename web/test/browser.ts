/// <reference types="node" />
import { TextDecoder, TextEncoder } from 'node:util';
import { afterEach, beforeAll, jest } from '@jest/globals';
import { cleanup, configure } from '@testing-library/react';
import * as React from 'react';

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

// React keeps a stack of each element it makes, for its own tools to say where that was; none once it counts too many in a second.
const { __CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE: internals } = React as unknown as {
  __CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE: object;
};
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
  configurable: true,
  get: () => Number.POSITIVE_INFINITY,
  set: () => undefined,
});

// Long enough for a busy machine, shorter than the limit of a test: the message says what was on the page instead.
configure({ asyncUtilTimeout: 40_000 });

/** Of jest's set-up: what the testing library registers by itself only for the first file of a process. */
export function forEachFile(): void {
  beforeAll(() => {
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  });
  afterEach(cleanup);
}
