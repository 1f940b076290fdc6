import generated from './generated/examples.json' with { type: 'json' };

/** A request that a local system answered, and its answer; lists are cut, tokens left out. Made by `tools/record-examples`. */
export type Example = {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly status: number;
  readonly answer: unknown;
};

export const examples: Readonly<Record<string, Example>> = generated as Readonly<Record<string, Example>>;

/** Where examples are served. */
export const examplesPath = '/docs/examples';

/** The body or the answer of an operation's example, or all of it. */
export function exampleOf(id: string, part: string | undefined): unknown {
  const example = Object.hasOwn(examples, id) ? examples[id] : undefined;
  if (part === undefined) return example;
  if (part === 'body') return example?.request.body;
  return part === 'answer' ? example?.answer : undefined;
}

/** What the description says of an example: where it is, because all of them would double its size. */
export function exampleLink(id: string, part: 'body' | 'answer'): Record<string, unknown> {
  if (exampleOf(id, part) === undefined) return {};
  return { examples: { recorded: { externalValue: `${examplesPath}/${id}/${part}` } } };
}
