import type { FakeRequest } from '../../../../tests/system/fake-model.ts';

/** The text of a request outside of its quoted blocks, and inside them. */
export function partsOf({ body }: FakeRequest): { outside: string; inside: string } {
  const text = body.messages
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n');
  const block = /<<<([0-9a-f]{24}) [^\n]*\n([^\n]*)\n\1>>>/g;
  const inside = [...text.matchAll(block)].map((match) => match[2] ?? '').join('\n');
  return { outside: text.replaceAll(block, ''), inside };
}
