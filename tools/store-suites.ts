import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What gives a test file its document store. */
const asksForStore = /\b(startTestStore|startOwnStore|storeUnderTest)\(/;
const relativeImport = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.ts)'/g;

/** The integration tests that need a document store, themselves or by what they import from their own package's tests. */
export function storeSuites(root: string): string[] {
  const known = new Map<string, boolean>();
  const needsStore = (file: string): boolean => {
    const answer = known.get(file);
    if (answer !== undefined) return answer;
    known.set(file, false);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const imported = [...text.matchAll(relativeImport)].map(([, path = '']) => join(dirname(file), path));
    const needs = asksForStore.test(text) || imported.some(needsStore);
    known.set(file, needs);
    return needs;
  };
  return globSync('{packages,services,tests}/**/*.integration.test.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name.endsWith('/node_modules'),
  })
    .filter((file) => needsStore(join(root, file)))
    .sort();
}
