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

/** The example of an operation. */
export const exampleOf = (id: string): Example | undefined => (Object.hasOwn(examples, id) ? examples[id] : undefined);

/**
 * What the description says of an example: where it is, because all of them are half as large as all else. Not by `externalValue`, which
 * generators of clients load; and not from where the description is, which linters take for no address.
 */
export const exampleLink = (id: string, publicUrl: string): Record<string, unknown> =>
  exampleOf(id) === undefined ? {} : { externalDocs: { url: `${publicUrl}${examplesPath}/${id}` } };
