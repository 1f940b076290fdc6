import type { Finding } from './run.ts';

/** A difference that was looked into: the product is at fault, or the definition leaves a choice. It is printed apart. */
export type Known = {
  read: RegExp;
  path: RegExp;
  /** Only where the product answers null. */
  onlyNull?: true;
  why: string;
};

/** An entry goes when its fault is mended: one that no finding belongs to is printed as not seen. */
export const known: readonly Known[] = [];

export const knownOf = ({ read, path, actual }: Pick<Finding, 'read' | 'path' | 'actual'>): Known | undefined =>
  known.find((entry) => entry.read.test(read) && entry.path.test(path) && (!entry.onlyNull || actual === null));
