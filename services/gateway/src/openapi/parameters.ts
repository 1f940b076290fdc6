import { type Route, takesFields, takesIdempotencyKey } from '@castellan/contracts';
import type { Json } from './json.ts';
import { meaningOf } from './parameter-meanings.ts';
import type { DescribedSchemas, Field } from './schemas.ts';

/** The parameters of operations: those of many operations are components. */
export type Parameters = {
  readonly components: Readonly<Record<string, Json>>;
  readonly of: (route: Route) => Json[];
};

type Place = 'path' | 'query';

/** A parameter that fewer operations take is written out at each. */
const usedOften = 2;

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same key and request within 24 h get the first answer again.',
  schema: { type: 'string', maxLength: 255 },
};
/** What is sent of an answer; the gateway picks it, so that no schema of a query has it. */
const fields: Field = { name: 'fields', schema: { type: 'string', maxLength: 2000 }, required: false };

const parameterOf = (place: Place, { name, schema, required }: Field): Json => ({
  name,
  in: place,
  ...(place === 'path' || required ? { required: true } : {}),
  description: meaningOf(name, place),
  schema,
});

/** `chain_id` in a path is `ChainIdInPath`, one in a query that must be there `NeededChainIdInQuery`. */
const componentName = ({ name, in: place, required }: Json): string => {
  const words = String(name)
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${place === 'query' && required ? 'Needed' : ''}${words.join('')}In${place === 'path' ? 'Path' : 'Query'}`;
};

/** Describes the parameters of routes. Of parameters with one name and several shapes only the most frequent is a component. */
export function describeParameters(routes: readonly Route[], schemas: DescribedSchemas): Parameters {
  const own = new Map(
    routes.map((route) => [
      route.id,
      [
        ...schemas.fields(route.params).map((field) => parameterOf('path', field)),
        ...schemas.fields(route.query).map((field) => parameterOf('query', field)),
        ...(takesFields(route) ? [parameterOf('query', fields)] : []),
      ],
    ]),
  );
  const uses = Map.groupBy([...own.values()].flat(), (parameter) => JSON.stringify(parameter));
  const often = [...uses.values()].filter(({ length }) => length >= usedOften).sort((a, b) => b.length - a.length);
  const components: Record<string, Json> = { IdempotencyKey: idempotencyKey };
  const references = new Map<string, Json>();
  for (const [parameter] of often) {
    const name = componentName(parameter as Json);
    if (components[name] !== undefined) continue;
    components[name] = parameter as Json;
    references.set(JSON.stringify(parameter), { $ref: `#/components/parameters/${name}` });
  }
  return {
    components,
    of: (route) => [
      ...(own.get(route.id) ?? []).map((parameter) => references.get(JSON.stringify(parameter)) ?? parameter),
      ...(takesIdempotencyKey(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
  };
}
