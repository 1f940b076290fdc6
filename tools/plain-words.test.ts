import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Folders whose names, comments, messages and pages use the usual words of the field. A cleaned folder is added here. */
const clean = [
  'web',
  'services/ai',
  'services/analytics',
  'services/auth',
  'services/gateway',
  'services/users',
  'services/validator-node',
  'services/vaults',
  'bench',
  'docs',
  'packages',
  'deploy',
  'tests',
  'tools',
];

/** Within those folders: not cleaned yet, history, or the words that users type into the chat. */
const others = [
  'docs/decisions',
  'services/ai/src/analyst/rules/common-words.ts',
  'services/ai/src/analyst/rules/expressions.ts',
  'services/ai/src/analyst/rules/decline-reason.ts',
  'services/ai/src/analyst/rules/vocabulary.ts',
  'services/ai/src/analyst/rules/analyse.test.ts',
  // `owed` is a field of documents of the former version.
  'packages/service-kit/src/durable/former-pending.ts',
  'services/ai/test/posts.integration.test.ts',
  'services/validator-node/src/transmit/store.mongo.ts',
  // `owed` is a field of documents of the former version.
  'services/users/src/alerts/rules/models/collections.ts',
  'services/users/test/users.integration.test.ts',
  'services/vaults/src/former-events.ts',
  'services/vaults/test/former-events.integration.test.ts',
  'services/vaults/test/former-documents.integration.test.ts',
  'tests/releases/releases.integration.test.ts',
  'services/vaults/src/oracle-network/models/validator-network.ts',
  'services/vaults/src/prepared-calls/tracking/models/prepared-call.ts',
  'tools/plain-words.test.ts',
  'tools/reader-words.test.ts',
];

/** As a path from the root, with slashes. */
const named = (file: string): string => relative(root, file).split(sep).join('/');

const isOther = (file: string): boolean => others.some((each) => file === each || file.startsWith(`${each}/`));

const files = clean
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter(
    (entry) => entry.isFile() && /\.(tsx?|md)$/.test(entry.name) && !/node_modules|\bdist\b/.test(entry.parentPath),
  )
  .map(({ parentPath, name }) => named(join(parentPath, name)))
  .filter((file) => !isOther(file));

const lines = files.flatMap((file) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((text) => ({ file, text })),
);

describe('words that a newcomer would have to learn', () => {
  test.each([
    ['told, of what is sent, published, returned or reported', /\b(told|telling)\b|[a-z]Told\b|\btold[A-Z]/i],
    ['owed, of what is pending or due', /\b(owed|owing|owes)\b|[a-z]Owed\b|\bowed[A-Z]/],
    ['deed or happening, of an event or an activity', /\b(deeds?|happenings?)\b|[a-z](Deed|Happening)s?\b/i],
    ['whoever, of a caller, a reader or anyone', /\bwhoever\b/i],
    ['ail, of what fails or is unhealthy', /\b(ails?|ailing)\b/i],
    ['rooms, of pages and modules', /\brooms\b|[a-z]Rooms?\b/],
    ['story, of a test', /\bstor(y|ies)\b/i],
    ['let go, of what is released, deleted or disconnected', /\blets? go\b/i],
    ['took us for dead, of a lease that was lost', /\btook us for dead\b/i],
    ['what stands, of a text, a value or a header', /\bwhat stands\b/i],
    ['breather, of a turn of the event loop', /\bbreather\b/i],
  ])('behavior: nothing says "%s"', (_, words) =>
    expect(lines.filter(({ text }) => words.test(text)).map(({ file, text }) => `${file}: ${text.trim()}`)).toEqual([]),
  );
});

test('default: the folders are where files are', () => expect(files.length).toBeGreaterThan(1_000));
