import type { Route } from '@castellan/contracts';
import { descriptionOf } from './descriptions.ts';
import type { Json } from './json.ts';
import { problemResponses, problemsOfOperation } from './problems.ts';
import type { DescribedSchemas } from './schemas.ts';

/** The answers of operations: those of several operations are components. */
export type Answers = {
  readonly components: Readonly<Record<string, Json>>;
  readonly of: (route: Route) => Record<string, Json>;
};

export const mediaOf = ({ media, otherMedia }: Route): readonly string[] => [media, ...otherMedia];

/** Every content type of a success answer. A file is read by its format: only as JSON has it a shape. */
function contentOf(route: Route, { result }: DescribedSchemas): Json {
  if (route.otherMedia.length === 0) return { [route.media]: { schema: result(route.result) } };
  return Object.fromEntries(
    mediaOf(route).map((media) => [media, { schema: media === 'application/json' ? {} : { type: 'string' } }]),
  );
}

const done = 'Done';

function successesOf(route: Route, schemas: DescribedSchemas): [status: string, answer: Json][] {
  const statuses: Record<string, string> = { [route.status]: done, ...descriptionOf(route).otherStatuses };
  return Object.entries(statuses).map(([status, description]) => [
    status,
    status === '204' ? { description } : { description, content: contentOf(route, schemas) },
  ]);
}

/** An answer with a shape of its own is named after the shape; nothing is another name for none at all. */
function componentName({ description, content }: Json): string | undefined {
  if (description !== done) return undefined;
  if (content === undefined) return 'Done';
  const { schema } = (content as Record<string, { schema: Json } | undefined>)['application/json'] ?? {};
  return typeof schema?.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : undefined;
}

/** Describes the answers of routes. */
export function describeAnswers(routes: readonly Route[], schemas: DescribedSchemas, problem: Json): Answers {
  const own = new Map(routes.map((route) => [route.id, successesOf(route, schemas)]));
  const uses = Map.groupBy([...own.values()].flat(), ([, answer]) => JSON.stringify(answer));
  const components: Record<string, Json> = {
    NotModified: { description: 'Not changed since the ETag of If-None-Match' },
    ...problemResponses(problem),
  };
  const references = new Map<string, Json>();
  for (const [text, [first, ...others]] of uses) {
    const answer = first?.[1] as Json;
    const name = componentName(answer);
    if (name === undefined || others.length === 0) continue;
    components[name] = answer;
    references.set(text, { $ref: `#/components/responses/${name}` });
  }
  const referenceTo = (answer: Json): Json => references.get(JSON.stringify(answer)) ?? answer;
  return {
    components,
    of: (route) => ({
      ...Object.fromEntries((own.get(route.id) ?? []).map(([status, answer]) => [status, referenceTo(answer)])),
      ...(route.cache === 'none' ? {} : { 304: { $ref: '#/components/responses/NotModified' } }),
      ...problemsOfOperation,
    }),
  };
}
