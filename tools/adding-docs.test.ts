import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const text = (file: string): string => readFileSync(join(root, file), 'utf8');

/** How many files one of each may take. */
const most = {
  'A metric': 5,
  'An endpoint': 4,
  'A page': 3,
  'A prepared action': 6,
  'An alert rule': 4,
  'A chain': 0,
} as const;

type Section = {
  title: string;
  /** Files of the table. */
  touched: string[];
  /** Names by which the example is found. */
  names: string[];
  /** Files that the paragraph of the example names: they use it, and need not know it. */
  beside: string[];
};

const sections: Section[] = text('docs/where-to-add.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = ''] = section.split('\n', 1);
    const example = /Example: ([\s\S]*?)\n\n/.exec(section)?.[1] ?? '';
    const quoted = [...example.matchAll(/`([^`]+)`/g)].map(([, each]) => `${each}`);
    return {
      title,
      touched: [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, file]) => `${file}`),
      names: quoted.filter((each) => !each.includes('/')),
      beside: quoted.filter((each) => each.includes('/')),
    };
  });

/** Sources and pages of the documentation, without tests and what only tests load. */
const sources: ReadonlyMap<string, string> = new Map(
  globSync(['packages/*/src/**/*.ts', 'services/*/src/**/*.ts', 'web/src/**/*.{ts,tsx}', 'docs/**/*.md'], { cwd: root })
    .filter((file) => !/\.(test|fixture)\.tsx?$/.test(file) && file !== 'docs/where-to-add.md')
    .map((file) => [file, text(file)]),
);

const filesWith = (names: readonly string[]): string[] => {
  const anyOf = new RegExp(`\\b(${names.join('|')})\\b`);
  return [...sources].flatMap(([file, content]) => (anyOf.test(content) ? [file] : [])).sort();
};

test('default: the page has one of each, in no more files than agreed', () => {
  expect(sections.map(({ title }) => title)).toEqual(Object.keys(most));
  for (const { title, touched } of sections)
    expect([title, touched.length]).toEqual([title, most[title as keyof typeof most]]);
});

test('behavior: every file that the page names exists', () => {
  const named = [...text('docs/where-to-add.md').matchAll(/`((?:packages|services|web|docs|tests|tools)\/[\w./-]+)`/g)];
  expect(named.length).toBeGreaterThan(20);
  expect(named.map(([, file]) => `${file}`).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test.each(sections.filter(({ names }) => names.length > 0))(
  'behavior: the example of "$title" is in the files of its table and in no other',
  ({ names, touched, beside }) => {
    expect(filesWith(names)).toEqual([...touched, ...beside].sort());
  },
);
