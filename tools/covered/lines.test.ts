import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from '@jest/globals';
import { countLines, everything } from './lines.ts';

const source = `import type { A } from './a.ts';
import {
  b,
  c,
} from './b.ts';

/** What it does. */
export type Wanted = {
  name: string;
};

export { d } from './d.ts';
export const called = (wanted: Wanted): string => {
  // The reason.
  return b(wanted.name, c);
};
export const short = (a: A) => a;
export function notCalled(): void {
  c();
}
`;
/** As V8 reports it: from the parameters on, or from the keyword. */
const rangeOf = (text: string, from: string, to: string): [number, number] => {
  const start = text.indexOf(from);
  return [start, text.indexOf(to, start) + to.length];
};

test('default: counts lines with code, and those whose functions were called', () => {
  const notCalled = rangeOf(source, 'function notCalled', '}');
  expect(countLines('a.ts', source, [])).toEqual({ lines: 5, covered: 5 });
  expect(countLines('a.ts', source, notCalled)).toEqual({ lines: 5, covered: 3 });
});

test('behavior: a function on a line of its own counts when it is called, not when its module is loaded', () => {
  expect(countLines('a.ts', source, rangeOf(source, '(a: A) => a', '=> a'))).toEqual({ lines: 5, covered: 4 });
});

test('behavior: nothing is covered of a source that no test loads', () => {
  expect(countLines('a.ts', source, everything)).toEqual({ lines: 5, covered: 0 });
});

test('behavior: a source of types alone has no lines', () => {
  expect(countLines('a.ts', "export type { A } from './a.ts';\n/** Two. */\nexport type B = 2;\n", everything)).toEqual(
    {
      lines: 0,
      covered: 0,
    },
  );
});

test('behavior: offsets are those of the source, which Node strips of its types in place', () => {
  expect(stripTypeScriptTypes(source).indexOf('function notCalled')).toBe(source.indexOf('function notCalled'));
});

test('behavior: of a module with JSX they are those of the transformed code', () => {
  const tsx = `import { useState } from 'react';

export function Choice({ name }: { name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <button
      type="button"
      onClick={() => setOpen(!open)}
    >
      {name}
    </button>
  );
}
`;
  const code = `import { jsx as _jsx } from "react/jsx-runtime";
import { useState } from 'react';
export function Choice({ name }) {
    const [open, setOpen] = useState(false);
    return /*#__PURE__*/ _jsx("button", {
        type: "button",
        onClick: ()=>setOpen(!open),
        children: name
    });
}
`;
  const all = countLines('a.tsx', tsx, []);
  expect(all.covered).toBe(all.lines);
  const click = countLines('a.tsx', tsx, rangeOf(code, '()=>setOpen', '!open)'));
  expect(all.covered - click.covered).toBe(1);
  expect(countLines('a.tsx', tsx, rangeOf(code, 'function Choice', '\n}')).covered).toBe(0);
});
