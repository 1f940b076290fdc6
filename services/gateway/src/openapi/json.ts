/** An object of a JSON document. */
export type Json = Record<string, unknown>;
