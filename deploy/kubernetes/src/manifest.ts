import { ApiObject, type ApiObjectProps, type Chart } from 'cdk8s';

/** What every manifest has. Its kind's interface of kubernetes-models says the rest, where it is written. */
export type Manifest = { apiVersion: string; kind: string; metadata?: { name?: string | undefined } | undefined };

/** Adds a manifest to a chart, under its kind and name. */
export function add(chart: Chart, manifest: Manifest): void {
  new ApiObject(chart, `${manifest.kind}-${manifest.metadata?.name}`, manifest as ApiObjectProps);
}

/** The fields of a class of kubernetes-models. */
export type Plain<T> = Omit<T, 'validate' | 'toJSON' | 'setDefinedProps'>;
