const common = {
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '<rootDir>/.castellan/'],
  modulePathIgnorePatterns: ['<rootDir>/.castellan/'],
};
const native = {
  ...common,
  runtime: '<rootDir>/tools/jest/native-runtime.ts',
  testEnvironment: '<rootDir>/tools/jest/native-environment.ts',
  transform: {},
};

/** `TESTCONTAINERS=1`: the same integration tests against real images; see packages/testkit. */
const integration =
  process.env.TESTCONTAINERS === '1'
    ? { ...common, testEnvironment: '<rootDir>/packages/testkit/src/docker/jest-environment.ts', transform: {} }
    : native;

/**
 * Tests of the whole system. `npm test` starts one for all these projects (tests/system/run.ts); a project that is run alone starts
 * its own.
 */
const wholeSystem = (displayName, folders) => ({
  ...native,
  displayName,
  testEnvironment: '<rootDir>/tests/system/failure-environment.ts',
  testMatch: folders.map((folder) => `<rootDir>/tests/e2e/${folder}/**/*.e2e.test.ts`),
  globalSetup: '<rootDir>/tests/system/global-setup.ts',
  globalTeardown: '<rootDir>/tests/system/global-teardown.ts',
});

export default {
  maxWorkers: 2,
  // A limit costs nothing where the test ends before it; steps of a whole run share the cores, which may be slow ones.
  testTimeout: 300_000,
  projects: [
    {
      ...native,
      displayName: 'unit',
      testMatch: ['<rootDir>/{packages,services,tools,deploy,bench,docs}/**/*.test.ts'],
      testPathIgnorePatterns: [
        ...common.testPathIgnorePatterns,
        '\\.(integration|store|e2e)\\.test\\.ts$',
        '<rootDir>/packages/react/',
      ],
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
      ? [{ ...native, displayName: 'store', testMatch: ['<rootDir>/packages/**/*.store.test.ts'] }]
      : []),
    wholeSystem('api', ['api', 'pages']),
    wholeSystem('browser', ['browser']),
    wholeSystem('faults', ['faults']),
    wholeSystem('network', ['network']),
    {
      ...native,
      displayName: 'web',
      testEnvironment: '<rootDir>/tools/jest/dom-environment.ts',
      setupFilesAfterEnv: ['<rootDir>/web/test/browser.ts'],
      // No browser has them, and React waits for the real ones.
      fakeTimers: { doNotFake: ['setImmediate', 'clearImmediate', 'nextTick'] },
      testMatch: ['<rootDir>/web/**/*.test.{ts,tsx}', '<rootDir>/packages/react/**/*.test.ts'],
    },
  ],
};
