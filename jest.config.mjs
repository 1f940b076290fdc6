const common = {
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '<rootDir>/.castellan/'],
  modulePathIgnorePatterns: ['<rootDir>/.castellan/'],
};
const node = { ...common, testEnvironment: 'node', transform: {} };
const native = {
  ...common,
  runtime: '<rootDir>/tools/jest/native-runtime.ts',
  testEnvironment: '<rootDir>/tools/jest/native-environment.ts',
  transform: {},
};

/** `TESTCONTAINERS=1`: the same integration tests against real images; see packages/testkit. */
const integration =
  process.env.TESTCONTAINERS === '1'
    ? { ...node, testEnvironment: '<rootDir>/packages/testkit/src/docker/jest-environment.ts' }
    : native;

/**
 * Tests of the whole system. Each of these projects has a system of its own on ports of its own, so that both can run side by
 * side, in two jest processes: what kills processes and moves the chain's clock does not disturb what reads. The visits to all
 * pages ask for no figure in particular; they stand with the shorter of the two.
 */
const wholeSystem = (displayName, folders, { portOffset, isTraced }) => ({
  ...node,
  displayName,
  testEnvironment: '<rootDir>/tests/system/failure-environment.ts',
  testMatch: folders.map((folder) => `<rootDir>/tests/e2e/${folder}/**/*.e2e.test.ts`),
  globalSetup: '<rootDir>/tests/system/global-setup.ts',
  globalTeardown: '<rootDir>/tests/system/global-teardown.ts',
  globals: { portOffset, isTraced },
});

export default {
  maxWorkers: 2,
  testTimeout: 30_000,
  projects: [
    {
      ...native,
      displayName: 'unit',
      testMatch: ['<rootDir>/{packages,services,tools}/**/*.test.ts'],
      testPathIgnorePatterns: [...common.testPathIgnorePatterns, '\\.(integration|store|e2e)\\.test\\.ts$'],
    },
    {
      ...integration,
      displayName: 'integration',
      globalSetup: '<rootDir>/packages/testkit/src/shared/jest-setup.ts',
      globalTeardown: '<rootDir>/packages/testkit/src/shared/jest-teardown.ts',
      testMatch: ['<rootDir>/{packages,services,tests}/**/*.integration.test.ts'],
    },
    // Compares the embedded store with the server of TEST_MONGODB_URI; without one there is nothing to compare.
    ...(process.env.TEST_MONGODB_URI
      ? [{ ...node, displayName: 'store', testMatch: ['<rootDir>/packages/**/*.store.test.ts'] }]
      : []),
    wholeSystem('e2e', ['api', 'browser'], { portOffset: 11_000, isTraced: true }),
    wholeSystem('faults', ['faults', 'pages'], { portOffset: 12_000, isTraced: false }),
    {
      ...native,
      displayName: 'web',
      testEnvironment: '<rootDir>/tools/jest/dom-environment.ts',
      setupFilesAfterEnv: ['<rootDir>/web/test/browser.ts'],
      // No browser has them, and React waits for the real ones.
      fakeTimers: { doNotFake: ['setImmediate', 'clearImmediate', 'nextTick'] },
      testMatch: ['<rootDir>/web/**/*.test.{ts,tsx}'],
    },
  ],
};
