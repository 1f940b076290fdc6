import { type Route, type Routes, routes } from '@castellan/contracts';
import { operationNames } from '../../../packages/sdk/src/types.ts';
import { descriptions } from '../../../services/gateway/src/openapi/descriptions.ts';
import { docstringExamples, methodOf } from '../../../tools/publish/docstring-examples.ts';
import { base, type Page } from './pages.ts';

const introduction = `# SDK

\`@castellan/sdk\` has one method for each operation of the API, below, with the example that stands beside it in the sources; the tests compile each
and check that its route takes the request. What else it exports, with all types: [@castellan/sdk](${base}/sdk/types) and
[@castellan/sdk/calls](${base}/sdk/calls). What \`prepareChange\` takes: [kinds of change](${base}/changes). How it is used: [its guide](${base}/repository/packages/sdk).

A method takes \`params\` of the path, \`query\` and \`body\`; its answer is the one of the operation, which [the API's page](${base}/api) describes field by
field. The examples use names without declaring them: \`vault\` is \`{ chain_id: '1', vault_address }\`, \`target\` the same with a number, \`vault_id\`
\`1:0x…\`.
`;

const scopeOf = ({ auth, scope }: Route): string =>
  auth === 'public' ? 'no token' : auth === 'optional' ? 'a token if you have one' : `a token of scope \`${scope}\``;

/** Every method of the client, by subject. */
export function sdkMethods(root: string): Page {
  const examples = docstringExamples(root);
  const names = operationNames as Readonly<Record<string, string>>;
  const bySubject = new Map<string, string>();
  for (const [key, route] of Object.entries(routes as Record<string, Route>)) {
    if (!route.action) continue;
    const method = names[key] ?? key;
    const { tag, summary } = descriptions[key as keyof Routes];
    const example = examples.find((code) => methodOf(code) === method && !code.includes('createClient'));
    const text = `\n### ${method}\n\n${summary}. [\`${route.method} ${route.path}\`](${base}/api#${route.id}), ${scopeOf(route)}.\n${
      example === undefined ? '' : `\n\`\`\`ts\n${example}\n\`\`\`\n`
    }`;
    bySubject.set(tag, (bySubject.get(tag) ?? '') + text);
  }
  const parts = [...bySubject].map(([tag, text]) => `\n## ${tag}\n${text}`);
  return { file: 'sdk/README.md', url: `${base}/sdk`, text: introduction + parts.join('') };
}
