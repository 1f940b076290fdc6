/** Folders of modules that hold schemas and tables alone: most of what a test file imports. */
const stateless = ['packages/contracts/src/', 'packages/chain/src/abi/'];

export const withoutQuery = (url: string): string => url.split('?')[0] ?? url;

/**
 * By which address a module is loaded: Node evaluates it once for each.
 * @param repository - what the addresses of our modules begin with.
 * @param sharesStateless - modules without state are evaluated once per process, not once per test file.
 */
export function moduleAddresses(repository: string, { sharesStateless }: { sharesStateless: boolean }) {
  const isOurs = (url: string) => url.startsWith(repository) && !url.includes('/node_modules/');
  const isStateless = (url: string) =>
    sharesStateless &&
    stateless.some((folder) => url.startsWith(repository + folder)) &&
    !/\.(test|fixture)\.ts$/.test(url);
  return {
    isOurs,
    /** @throws Error when a module that is evaluated once imports one that is not: later test files would find the first one's. */
    addressOf(resolved: string, { importer, testFile }: { importer: string; testFile: number }): string {
      if (!isOurs(resolved)) return resolved;
      const url = withoutQuery(resolved);
      if (isStateless(url)) return url;
      if (isStateless(importer)) throw new Error(`${importer} is evaluated once, so it cannot import ${url}.`);
      return `${url}?test-file=${testFile}`;
    },
  };
}
